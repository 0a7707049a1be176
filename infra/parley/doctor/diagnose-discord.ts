import * as v from 'valibot';
import {
  type Check,
  type DiscordChoice,
  getValue,
  type Probe,
  type Variables,
} from '../../configuration/index.ts';
import { checkCallback, discordCallback } from './check-callback.ts';
import {
  type DiscordAccess,
  evaluateDiscordChannel,
  evaluateGuilds,
  readDiscord,
} from './check-discord-server.ts';
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
  // Loaded only here: the package for the gateway comes with it.
  const { buildInvite } = await import('../../cli/invite.ts');
  const profile = getValue(variables, 'DISCORD_MESSAGES') === 'all' ? 'all' : 'mentions';
  const [application, guilds, channel] = await Promise.all([
    readDiscord(access, '/applications/@me', probe),
    readDiscord(access, '/users/@me/guilds', probe),
    discordChannel === undefined
      ? undefined
      : readDiscord(access, `/channels/${encodeURIComponent(discordChannel)}`, probe),
  ]);
  const endpoint = readEndpoint(application.kind === 'answered' ? application.json : undefined);
  return [
    ...(endpoint === undefined ? [] : [await checkCallback(discordCallback(endpoint, now()), probe)]),
    ...evaluateGuilds(buildInvite(applicationId, profile).url, guilds),
    ...(discordChannel === undefined || channel === undefined
      ? []
      : [evaluateDiscordChannel(discordChannel, channel)]),
  ];
}

/** Returns the Interactions Endpoint URL. Undefined without one. */
function readEndpoint(json: unknown): string | undefined {
  const parsed = v.safeParse(applicationSchema, json);
  return parsed.success && URL.canParse(parsed.output.interactions_endpoint_url ?? '')
    ? (parsed.output.interactions_endpoint_url ?? undefined)
    : undefined;
}
