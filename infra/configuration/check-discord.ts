import { ApplicationFlags } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { type Check, fail, pass, warn } from './check.ts';
import type { Probe, ProbeAnswer } from './probe.ts';
import { sourceOf } from './variables.ts';

export type DiscordSettings = {
  /** With the version, without a slash at its end. */
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly publicKey: string;
  readonly botToken: string | undefined;
  /** Where the relay connects to; undefined where it does not run. */
  readonly gatewayUrl: string | undefined;
  /** Whether the relay reads all messages rather than those that name the bot. */
  readonly messages: 'mentions' | 'all';
};

const application = z.object({
  id: z.string(),
  verify_key: z.optional(z.string()),
  flags: z.optional(z.number()),
  interactions_endpoint_url: z.optional(z.nullable(z.string())),
});

const PORTAL = 'discord.com/developers/applications > your app';
const MESSAGE_CONTENT =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
/** Discord answers no client that does not say who it is. */
const AGENT = 'DiscordBot (https://localhost, 1.0)';

/** Asks Discord whose token it is, and whether the application is set up for what is configured. */
export async function checkDiscord(
  settings: DiscordSettings,
  probe: Probe,
): Promise<{ checks: Check[]; reached: boolean }> {
  const { apiUrl, applicationId, botToken, gatewayUrl } = settings;
  // Without a token there is nobody to ask as.
  if (botToken === undefined) return { checks: [], reached: true };
  const headers = { authorization: `Bot ${botToken}`, 'user-agent': AGENT };
  const [about, commands, gateway] = await Promise.all([
    probe(`${apiUrl}/applications/@me`, { headers }),
    probe(`${apiUrl}/applications/${applicationId}/commands`, { headers }),
    // Any answer will do: a gateway tells whoever opens no web socket that they should.
    gatewayUrl === undefined ? undefined : probe(gatewayUrl.replace(/^ws/, 'http')),
  ]);
  const checks = judgeApplication(settings, about);
  const fits = checks.every(({ result }) => result !== 'fail');
  const reached = about.kind === 'answered';
  return {
    checks: [
      ...checks,
      // That Discord cannot be reached is told once.
      ...(reached && gateway ? judgeGateway(gateway) : []),
      ...(fits ? judgeCommands(commands) : []),
    ],
    reached: reached && gateway?.kind !== 'unreachable',
  };
}

/** What the answer to `GET /applications/@me` tells. */
export function judgeApplication(settings: DiscordSettings, answer: ProbeAnswer): Check[] {
  const { origin } = new URL(settings.apiUrl);
  if (answer.kind === 'unreachable') {
    const found = `${origin} could not be reached: ${answer.reason}.`;
    return [
      warn(
        'Discord',
        found,
        'The token was not checked. Nothing comes from Discord until it can be reached.',
      ),
    ];
  }
  if (answer.status === 401) {
    const found = 'Discord refuses it (401): the bot could neither receive nor answer.';
    const fix = `Reset the token and copy it anew. ${sourceOf('DISCORD_BOT_TOKEN')}`;
    return [fail('DISCORD_BOT_TOKEN', found, fix)];
  }
  const parsed = application.safeParse(answer.json);
  if (!parsed.success || answer.status !== 200) {
    const found = `${origin} does not say which application the token is of (status ${answer.status}).`;
    return [warn('Discord', found, 'The token was not checked.')];
  }
  return judgeFields(settings, parsed.data);
}

function judgeFields(settings: DiscordSettings, app: z.infer<typeof application>): Check[] {
  const { applicationId, publicKey, gatewayUrl, messages } = settings;
  const copy = `Copy both from General Information of the app whose token it is. ${sourceOf('DISCORD_APPLICATION_ID')}`;
  if (app.id !== applicationId)
    return [fail('DISCORD_APPLICATION_ID', `is not that of the token, which is of ${app.id}.`, copy)];
  const checks = [pass('DISCORD_BOT_TOKEN', 'Discord takes it.')];
  if (app.verify_key !== undefined && app.verify_key.toLowerCase() !== publicKey.toLowerCase())
    checks.push(
      fail(
        'DISCORD_PUBLIC_KEY',
        'is not that of the application: every command of Discord would be refused.',
        sourceOf('DISCORD_PUBLIC_KEY'),
      ),
    );
  if (
    gatewayUrl !== undefined &&
    messages === 'all' &&
    app.flags !== undefined &&
    (app.flags & MESSAGE_CONTENT) === 0
  )
    checks.push(
      fail(
        'DISCORD_MESSAGES',
        'is all, which Discord does not allow this application: it would receive no message.',
        `Switch on Message Content Intent at ${PORTAL} > Bot, or set DISCORD_MESSAGES=mentions.`,
      ),
    );
  if (app.interactions_endpoint_url === null)
    checks.push(
      warn(
        'Discord interactions',
        'the application has no Interactions Endpoint URL: commands and buttons do not work.',
        `Enter the https address of this API with /discord/interactions at ${PORTAL} > General Information.`,
      ),
    );
  return checks;
}

function judgeGateway(answer: ProbeAnswer): Check[] {
  if (answer.kind === 'answered') return [];
  const found = `could not be reached: ${answer.reason}. Mentions and direct messages are not heard until it can be.`;
  return [warn('DISCORD_GATEWAY_URL', found, sourceOf('DISCORD_GATEWAY_URL'))];
}

/** What the answer to the list of commands tells; nothing where it is none. */
function judgeCommands(answer: ProbeAnswer): Check[] {
  const list = answer.kind === 'answered' ? z.array(z.unknown()).safeParse(answer.json) : undefined;
  if (!list?.success || list.data.length > 0) return [];
  return [warn('Discord commands', 'Discord knows no command of the bot.', 'Run: npm run discord:register')];
}
