import { ApplicationFlags } from 'discord-api-types/v10';
import * as v from 'valibot';
import { type Check, fail, pass, warn } from './check.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { describeSource } from './variables.ts';

export type DiscordSettings = {
  /** With the version, without a trailing slash. */
  readonly apiUrl: string;
  readonly applicationId: string;
  readonly publicKey: string;
  readonly botToken: string | undefined;
  /** The gateway of the relay; undefined without the relay. */
  readonly gatewayUrl: string | undefined;
  /** Whether the relay reads mentions only or all messages. */
  readonly messages: 'mentions' | 'all';
};

const applicationSchema = v.object({
  id: v.string(),
  verify_key: v.optional(v.string()),
  flags: v.optional(v.number()),
  interactions_endpoint_url: v.optional(v.nullable(v.string())),
});

const DEVELOPER_PORTAL = 'discord.com/developers/applications > your app';
const MESSAGE_CONTENT =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;
/** Discord rejects requests without a user agent. */
const USER_AGENT = 'DiscordBot (https://localhost, 1.0)';

/** Checks the token with Discord, and the settings of the application. */
export async function checkDiscord(
  settings: DiscordSettings,
  probe: Probe,
): Promise<{ checks: Check[]; reached: boolean }> {
  const { apiUrl, applicationId, botToken, gatewayUrl } = settings;
  // Without a token, requests to Discord are not possible.
  if (botToken === undefined) return { checks: [], reached: true };
  const headers = { authorization: `Bot ${botToken}`, 'user-agent': USER_AGENT };
  const [application, commands, gateway] = await Promise.all([
    probe(`${apiUrl}/applications/@me`, { headers }),
    probe(`${apiUrl}/applications/${applicationId}/commands`, { headers }),
    // Any response will do: the gateway responds to a plain HTTP request with an error.
    gatewayUrl === undefined ? undefined : probe(gatewayUrl.replace(/^ws/, 'http')),
  ]);
  const checks = evaluateApplication(settings, application);
  const hasPassed = checks.every(({ result }) => result !== 'fail');
  const isReached = application.kind === 'answered';
  return {
    checks: [
      ...checks,
      // An unreachable Discord is reported once.
      ...(isReached && gateway ? evaluateGateway(gateway) : []),
      ...(hasPassed ? evaluateCommands(commands) : []),
    ],
    reached: isReached && gateway?.kind !== 'unreachable',
  };
}

const threadSchema = v.object({ thread_metadata: v.object({}), parent_id: v.string() });

/** Returns the channel in which a thread is. Undefined for other channels, and if Discord does not show it to the bot. */
export async function findParentChannel(
  { apiUrl, botToken }: { readonly apiUrl: string; readonly botToken: string },
  channel: string,
  probe: Probe,
): Promise<string | undefined> {
  const headers = { authorization: `Bot ${botToken}`, 'user-agent': USER_AGENT };
  const response = await probe(`${apiUrl}/channels/${channel}`, { headers });
  const { success, output } = v.safeParse(
    threadSchema,
    response.kind === 'answered' ? response.json : undefined,
  );
  return success ? output.parent_id : undefined;
}

/** Evaluates the response to `GET /applications/@me`. */
function evaluateApplication(settings: DiscordSettings, response: ProbeResult): Check[] {
  const { origin } = new URL(settings.apiUrl);
  if (response.kind === 'unreachable') {
    const finding = `${origin} could not be reached: ${response.reason}.`;
    return [
      warn(
        'Discord',
        finding,
        'The token was not checked. The bot receives nothing from Discord until Discord can be reached.',
      ),
    ];
  }
  if (response.status === 401) {
    const finding = 'Discord refuses it (401): the bot could neither receive nor answer.';
    const fix = `Reset the token and copy it again. ${describeSource('DISCORD_BOT_TOKEN')}`;
    return [fail('DISCORD_BOT_TOKEN', finding, fix)];
  }
  const parsed = v.safeParse(applicationSchema, response.json);
  if (!parsed.success || response.status !== 200) {
    const finding = `${origin} does not say which application the token is of (status ${response.status}).`;
    return [warn('Discord', finding, 'The token was not checked.')];
  }
  return evaluateFields(settings, parsed.output);
}

function evaluateFields(settings: DiscordSettings, app: v.InferOutput<typeof applicationSchema>): Check[] {
  const { applicationId, publicKey, gatewayUrl, messages } = settings;
  const copy = `Copy both from General Information of the app whose token it is. ${describeSource('DISCORD_APPLICATION_ID')}`;
  if (app.id !== applicationId)
    return [fail('DISCORD_APPLICATION_ID', `is not that of the token, which is of ${app.id}.`, copy)];
  const checks = [pass('DISCORD_BOT_TOKEN', 'Discord accepts it.')];
  if (app.verify_key !== undefined && app.verify_key.toLowerCase() !== publicKey.toLowerCase())
    checks.push(
      fail(
        'DISCORD_PUBLIC_KEY',
        'is not that of the application: every command of Discord would be refused.',
        describeSource('DISCORD_PUBLIC_KEY'),
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
        `Switch on Message Content Intent at ${DEVELOPER_PORTAL} > Bot, or set DISCORD_MESSAGES=mentions.`,
      ),
    );
  if (app.interactions_endpoint_url === null)
    checks.push(
      warn(
        'Discord interactions',
        'the application has no Interactions Endpoint URL: commands and buttons do not work.',
        `Enter the https address of this API with /discord/interactions at ${DEVELOPER_PORTAL} > General Information.`,
      ),
    );
  return checks;
}

function evaluateGateway(response: ProbeResult): Check[] {
  if (response.kind === 'answered') return [];
  const finding = `could not be reached: ${response.reason}. Mentions and direct messages are not heard until it can be.`;
  return [warn('DISCORD_GATEWAY_URL', finding, describeSource('DISCORD_GATEWAY_URL'))];
}

/** Evaluates the list of commands; nothing if the response is not one. */
function evaluateCommands(response: ProbeResult): Check[] {
  const list = response.kind === 'answered' ? v.safeParse(v.array(v.unknown()), response.json) : undefined;
  if (!list?.success || list.output.length > 0) return [];
  return [warn('Discord commands', 'Discord knows no command of the bot.', 'Run: npm run discord:register')];
}
