import * as v from 'valibot';
import { MESSAGE_SEARCH_SCOPE, OPTIONAL_SCOPES, SCOPES } from '../../shared/platforms/slack/oauth/scopes.ts';
import { type Check, fail, pass, skip, warn } from './check.ts';
import { evaluateAppIds, readAppIdOfBot } from './check-slack-app.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { describeSource } from './variables.ts';

export type SlackSettings = {
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly botToken: string;
  /** With socket mode. */
  readonly appToken?: string | undefined;
  readonly botUserId: string | undefined;
};

/** The bot's identity from `auth.test`. */
export type SlackBot = { readonly userId: string; readonly teamId: string | null };

export type SlackChecks = {
  readonly checks: Check[];
  /** Undefined if Slack did not confirm the token. */
  readonly bot: SlackBot | undefined;
  /** The id of the app, if `bots.info` returned it. */
  readonly appId: string | undefined;
  /** Whether Slack responded. */
  readonly reached: boolean;
};

const authTestSchema = v.union([
  v.object({
    ok: v.literal(true),
    user_id: v.optional(v.string()),
    team_id: v.optional(v.string()),
    bot_id: v.optional(v.string()),
  }),
  v.object({ ok: v.literal(false), error: v.string() }),
]);

/** The consequence of each missing scope. Without `chat:write` there is no bot. */
const MISSING_SCOPE_EFFECTS: Readonly<Record<string, string>> = {
  'app_mentions:read': 'it does not receive mentions',
  'assistant:write': 'there are no suggested prompts',
  'canvases:write': 'long answers are not offered as canvases',
  'channels:history': 'in channels it answers only mentions, and cannot read earlier messages',
  commands: 'there is no slash command and no menu',
  'files:read': 'it may not read files',
  'files:write': 'it may not send files',
  'groups:history': 'in private channels it answers only mentions',
  'groups:read':
    'it does not notice that a private channel was deleted, or that the author of a schedule left it',
  'im:history': 'it receives no direct messages',
  'mpim:history': 'it receives nothing in group messages',
  'reactions:read': ':memo: under a recording does nothing',
  'reactions:write': 'a question that waits gets no reaction',
  'channels:read': 'what it remembers in channels is used in direct messages only',
  'usergroups:read': 'user groups in allowed, denied, favoured match nobody',
  'users:read': 'it knows ids rather than names, and commands accept people only by mention or id',
};

/** How tokens of apps with token rotation begin. Source: docs.slack.dev/authentication/using-token-rotation. */
const ROTATING_TOKEN = 'xoxe.';

const REINSTALL = 'Copy it again, after installing the app to the workspace once more.';

/** What to do about errors of `auth.test`. Source: docs.slack.dev/reference/methods/auth.test. */
const REFUSED_TOKEN_FIXES: Readonly<Record<string, string>> = {
  token_expired:
    'It has expired, because token rotation is on for the app. Create an app without it: it cannot be switched off.',
  token_revoked: 'It was revoked. Install the app to the workspace again, and copy the new token.',
  account_inactive:
    'The app was removed from the workspace, or the workspace is gone. Install the app again, and copy the new token.',
};

/** Checks the bot token, its scopes, socket mode, and that both tokens are of the same app. */
export async function checkSlack(settings: SlackSettings, probe: Probe): Promise<SlackChecks> {
  const { apiUrl, botToken, appToken } = settings;
  const call = (method: string, token: string, args: Record<string, string> = {}) =>
    probe(new URL(method, apiUrl).href, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(args).toString(),
    });
  const [bot, socket] = await Promise.all([
    call('auth.test', botToken),
    appToken === undefined ? undefined : call('apps.connections.open', appToken),
  ]);
  const parsed = bot.kind === 'answered' ? v.safeParse(authTestSchema, bot.json) : undefined;
  const identity = parsed?.success && parsed.output.ok ? parsed.output : undefined;
  const { user_id: userId, team_id: teamId = null, bot_id: botId } = identity ?? {};
  const info = botId === undefined ? undefined : await call('bots.info', botToken, { bot: botId });
  const appId = readAppIdOfBot(info);
  return {
    checks: [
      ...evaluateBotToken(settings, bot),
      ...(socket ? evaluateAppToken(settings, bot, socket) : []),
      ...(appToken === undefined ? [] : evaluateAppIds(appToken, appId)),
    ],
    bot: userId === undefined ? undefined : { userId, teamId },
    appId,
    reached: bot.kind === 'answered',
  };
}

/** Evaluates the response to `auth.test`. */
function evaluateBotToken(settings: SlackSettings, response: ProbeResult): Check[] {
  const name = 'SLACK_BOT_TOKEN';
  const slackResponse = parseSlackResponse(settings, response);
  if (slackResponse.kind === 'check') return [slackResponse.check];
  if (!slackResponse.data.ok) {
    const { error } = slackResponse.data;
    const fix = REFUSED_TOKEN_FIXES[error] ?? REINSTALL;
    return [fail(name, `Slack refuses it (${error}).`, `${fix} ${describeSource(name)}`)];
  }
  const { user_id: userId } = slackResponse.data;
  const { botUserId } = settings;
  const isOtherUser = botUserId !== undefined && userId !== undefined && userId !== botUserId;
  const finding = `is of somebody else: the token is of ${userId}.`;
  return [
    settings.botToken.startsWith(ROTATING_TOKEN)
      ? warn(
          name,
          'Slack accepts it, but for at most 12 hours: token rotation is on for the app, and only tokens of installs by /slack/install are renewed.',
          'Create an app without token rotation, which cannot be switched off, or install this one at /slack/install of the deployment: docs/slack.md, More workspaces.',
        )
      : pass(name, 'Slack accepts it.'),
    ...(isOtherUser ? [fail('SLACK_BOT_USER_ID', finding, 'Remove it: Slack reports the id.')] : []),
    ...evaluateScopes(slackResponse.headers.get('x-oauth-scopes')),
  ];
}

/** Compares the scopes in Slack's response header with those of the manifest. */
function evaluateScopes(header: string | null): Check[] {
  if (header === null) return [];
  const granted = new Set(header.split(',').map((scope) => scope.trim()));
  const missing = SCOPES.filter((scope) => !granted.has(scope));
  const fix =
    'Add it at api.slack.com/apps > your app > OAuth & Permissions > Bot Token Scopes, and install the app again.';
  if (missing.includes('chat:write'))
    return [fail('Slack scopes', 'chat:write is missing: the bot may not write anything.', fix)];
  return [
    ...missing.map((scope) => {
      const effect = MISSING_SCOPE_EFFECTS[scope] ?? 'some of it does not work';
      return OPTIONAL_SCOPES.includes(scope)
        ? skip('Slack scopes', `${scope} is not granted, which is optional: ${effect}.`, fix)
        : warn('Slack scopes', `${scope} is missing: ${effect}.`, fix);
    }),
    granted.has(MESSAGE_SEARCH_SCOPE)
      ? pass('Slack message search', 'the app may search the messages of public channels.')
      : skip(
          'Slack message search',
          `the app has no scope ${MESSAGE_SEARCH_SCOPE}. Only the tool messages needs it.`,
        ),
  ];
}

/** Evaluates the response to `apps.connections.open`. */
function evaluateAppToken(settings: SlackSettings, bot: ProbeResult, response: ProbeResult): Check[] {
  const name = 'SLACK_APP_TOKEN';
  const slackResponse = parseSlackResponse(settings, response);
  // An unreachable Slack is reported once.
  if (slackResponse.kind === 'check') return bot.kind === response.kind ? [] : [slackResponse.check];
  if (slackResponse.data.ok) return [pass(name, 'Slack opens socket mode.')];
  const { error } = slackResponse.data;
  const fix =
    error === 'missing_scope' || error === 'no_permission'
      ? 'Make an app-level token with the scope connections:write.'
      : `See that Settings > Socket Mode of the app is on, and copy the token again. ${describeSource(name)}`;
  return [fail(name, `Slack does not open socket mode with it (${error}).`, fix)];
}

type SlackResponse =
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'said'; readonly data: v.InferOutput<typeof authTestSchema>; readonly headers: Headers };

const toCheckResponse = (check: Check): SlackResponse => ({ kind: 'check', check });

/** Returns Slack's response, or a check when there was none or it is not Slack's. */
function parseSlackResponse({ apiUrl, botUserId }: SlackSettings, response: ProbeResult): SlackResponse {
  const { origin } = new URL(apiUrl);
  if (response.kind === 'unreachable') {
    const finding = `${origin} could not be reached: ${response.reason}.`;
    return toCheckResponse(
      warn(
        'Slack',
        finding,
        'The tokens were not checked. The bot receives nothing from Slack until Slack can be reached.',
      ),
    );
  }
  const parsed = v.safeParse(authTestSchema, response.json);
  const isLimited = response.status === 429;
  const isSlack =
    parsed.success && !isLimited && (parsed.output.ok || parsed.output.error !== 'unknown_method');
  if (isSlack) return { kind: 'said', data: parsed.output, headers: response.headers };
  const { status } = response;
  if (isLimited)
    return toCheckResponse(
      warn(
        'Slack',
        `${origin} has had too many requests (429).`,
        'Not all tokens were checked. Try again in a minute.',
      ),
    );
  if (status >= 500) {
    const finding = `${origin} is in trouble (status ${status}).`;
    return toCheckResponse(
      warn('Slack', finding, 'The tokens were not checked; slack-status.com tells more.'),
    );
  }
  const finding = `${apiUrl} does not answer as Slack does (status ${status}).`;
  // A test server may support events and messages only; that is sufficient if the bot's id is configured.
  const createCheck = botUserId === undefined ? fail : warn;
  return toCheckResponse(createCheck('SLACK_API_URL', finding, describeSource('SLACK_API_URL')));
}
