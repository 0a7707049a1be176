import * as v from 'valibot';
import {
  type Check,
  type DiscordChoice,
  getValue,
  type Probe,
  type ProbeResult,
  type Variables,
} from '../../configuration/index.ts';
import { checkCallback, discordCallback } from './checks/check-callback.ts';
import { checkDiscordPermissions } from './checks/check-discord-permissions.ts';
import {
  type DiscordAccess,
  evaluateDiscordChannel,
  evaluateGuilds,
  readDiscord,
} from './checks/check-discord-server.ts';
import type { DoctorInput } from './doctor-input.ts';

type RealDiscord = Exclude<DiscordChoice, { readonly kind: 'simulated' }>;

const applicationSchema = v.object({ interactions_endpoint_url: v.nullish(v.string()) });

/** Checks the servers of the bot, the address for interactions, and a channel. Without a bot token nothing can be read. */
export async function checkDiscordSetup(
  { discordChannel, now }: Pick<DoctorInput, 'discordChannel' | 'now'>,
  { apiUrl, applicationId, botToken }: RealDiscord,
  variables: Variables,
  probe: Probe,
): Promise<Check[]> {
  if (botToken === undefined) return [];
  const access: DiscordAccess = { apiUrl, applicationId, botToken };
  // Loaded only here: the package for the gateway, and all commands with their texts.
  const [{ buildInvite }, { evaluateCommandDifferences }] = await Promise.all([
    import('../../cli/invite.ts'),
    import('./checks/check-discord-commands.ts'),
  ]);
  const profile = getValue(variables, 'DISCORD_MESSAGES') === 'all' ? 'all' : 'mentions';
  const [application, guilds, commands, channel] = await Promise.all([
    readDiscord(access, '/applications/@me', probe),
    readDiscord(access, '/users/@me/guilds', probe),
    readDiscord(access, `/applications/${applicationId}/commands?with_localizations=true`, probe),
    discordChannel === undefined
      ? undefined
      : readDiscord(access, `/channels/${encodeURIComponent(discordChannel)}`, probe),
  ]);
  const endpoint = readEndpoint(application.kind === 'answered' ? application.json : undefined);
  return [
    ...(endpoint === undefined ? [] : [await checkCallback(discordCallback(endpoint, now()), probe)]),
    ...evaluateCommandDifferences(commands),
    ...evaluateGuilds(buildInvite(applicationId, profile).url, guilds),
    ...(discordChannel === undefined || channel === undefined
      ? []
      : await checkChannel(access, discordChannel, channel, probe)),
  ];
}

async function checkChannel(
  access: DiscordAccess,
  id: string,
  channel: ProbeResult,
  probe: Probe,
): Promise<Check[]> {
  const missing = await checkDiscordPermissions(access, id, channel, probe);
  return missing.length > 0 ? missing : [evaluateDiscordChannel(id, channel)];
}

/** Returns the Interactions Endpoint URL. Undefined without one. */
function readEndpoint(json: unknown): string | undefined {
  const parsed = v.safeParse(applicationSchema, json);
  return parsed.success && URL.canParse(parsed.output.interactions_endpoint_url ?? '')
    ? (parsed.output.interactions_endpoint_url ?? undefined)
    : undefined;
}
