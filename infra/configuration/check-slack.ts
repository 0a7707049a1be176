import * as z from 'zod/mini';
import { SCOPES } from '../../shared/platforms/slack/oauth/scopes.ts';
import { type Check, fail, pass, warn } from './check.ts';
import type { Probe, ProbeAnswer } from './probe.ts';
import { sourceOf } from './variables.ts';

export type SlackSettings = {
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly botToken: string;
  /** With socket mode. */
  readonly appToken?: string | undefined;
  readonly botUserId: string | undefined;
};

/** Who the bot is, as `auth.test` says. */
export type SlackBot = { readonly userId: string; readonly teamId: string | null };

const answered = z.union([
  z.object({ ok: z.literal(true), user_id: z.optional(z.string()), team_id: z.optional(z.string()) }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

/** What is missing where a scope is. Without `chat:write` there is no bot. */
const WITHOUT: Readonly<Record<string, string>> = {
  'app_mentions:read': 'it does not receive mentions',
  'assistant:write': 'there are no suggested prompts',
  'channels:history': 'in channels it answers only mentions, and cannot read earlier messages',
  commands: 'there is no slash command and no menu',
  'files:read': 'it may not read files',
  'files:write': 'it may not send files',
  'groups:history': 'in private channels it answers only mentions',
  'im:history': 'it receives no direct messages',
  'mpim:history': 'it receives nothing in group messages',
  'reactions:read': ':memo: under a recording does nothing',
  'reactions:write': 'a question that waits gets no reaction',
  'usergroups:read': 'user groups in allowed, denied, favoured match nobody',
  'users:read': 'it knows ids rather than names, and commands accept people only by mention or id',
};

/** Asks Slack who the bot is, what it may do, and whether socket mode opens. `bot` is undefined where it did not say. */
export async function checkSlack(
  settings: SlackSettings,
  probe: Probe,
): Promise<{ checks: Check[]; bot: SlackBot | undefined; reached: boolean }> {
  const { apiUrl, botToken, appToken } = settings;
  const call = (method: string, token: string) =>
    probe(new URL(method, apiUrl).href, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const [bot, socket] = await Promise.all([
    call('auth.test', botToken),
    appToken === undefined ? undefined : call('apps.connections.open', appToken),
  ]);
  const parsed = bot.kind === 'answered' ? answered.safeParse(bot.json) : undefined;
  const identity = parsed?.success && parsed.data.ok ? parsed.data : undefined;
  const { user_id: userId, team_id: teamId = null } = identity ?? {};
  return {
    checks: [...judgeBotToken(settings, bot), ...(socket ? judgeAppToken(settings, bot, socket) : [])],
    bot: userId === undefined ? undefined : { userId, teamId },
    reached: bot.kind === 'answered',
  };
}

/** What the answer to `auth.test` tells. */
export function judgeBotToken(settings: SlackSettings, answer: ProbeAnswer): Check[] {
  const name = 'SLACK_BOT_TOKEN';
  const said = slackSaid(settings, answer);
  if (said.kind === 'check') return [said.check];
  if (!said.data.ok) {
    const fix = `Copy it anew, after installing the app to the workspace once more. ${sourceOf(name)}`;
    return [fail(name, `Slack refuses it (${said.data.error}).`, fix)];
  }
  const { user_id: userId } = said.data;
  const { botUserId } = settings;
  const other = botUserId !== undefined && userId !== undefined && userId !== botUserId;
  const found = `is of somebody else: the token is of ${userId}.`;
  return [
    pass(name, 'Slack takes it.'),
    ...(other ? [fail('SLACK_BOT_USER_ID', found, 'Remove it: Slack reports the id.')] : []),
    ...judgeScopes(said.headers.get('x-oauth-scopes')),
  ];
}

/** Compares the scopes that Slack names in each of its answers with those of the manifest. */
function judgeScopes(header: string | null): Check[] {
  if (header === null) return [];
  const granted = new Set(header.split(',').map((scope) => scope.trim()));
  const missing = SCOPES.filter((scope) => !granted.has(scope));
  const fix =
    'Add it at api.slack.com/apps > your app > OAuth & Permissions > Bot Token Scopes, and install the app again.';
  if (missing.includes('chat:write'))
    return [fail('Slack scopes', 'chat:write is missing: the bot may not write anything.', fix)];
  return missing.map((scope) =>
    warn('Slack scopes', `${scope} is missing: ${WITHOUT[scope] ?? 'some of it does not work'}.`, fix),
  );
}

/** What the answer to `apps.connections.open` tells. */
export function judgeAppToken(settings: SlackSettings, bot: ProbeAnswer, answer: ProbeAnswer): Check[] {
  const name = 'SLACK_APP_TOKEN';
  const said = slackSaid(settings, answer);
  // That Slack cannot be reached is told once.
  if (said.kind === 'check') return bot.kind === answer.kind ? [] : [said.check];
  if (said.data.ok) return [pass(name, 'Slack opens socket mode.')];
  const { error } = said.data;
  const fix =
    error === 'missing_scope' || error === 'no_permission'
      ? 'Make an app-level token with the scope connections:write.'
      : `See that Settings > Socket Mode of the app is on, and copy the token anew. ${sourceOf(name)}`;
  return [fail(name, `Slack does not open socket mode with it (${error}).`, fix)];
}

type Said =
  | { readonly kind: 'check'; readonly check: Check }
  | { readonly kind: 'said'; readonly data: z.infer<typeof answered>; readonly headers: Headers };

const check = (made: Check): Said => ({ kind: 'check', check: made });

/** What Slack said; a check where nothing came, or nothing that is Slack's. */
function slackSaid({ apiUrl, botUserId }: SlackSettings, answer: ProbeAnswer): Said {
  const { origin } = new URL(apiUrl);
  if (answer.kind === 'unreachable') {
    const found = `${origin} could not be reached: ${answer.reason}.`;
    return check(
      warn('Slack', found, 'The tokens were not checked. Nothing comes from Slack until it can be reached.'),
    );
  }
  const parsed = answered.safeParse(answer.json);
  const knows = parsed.success && (parsed.data.ok || parsed.data.error !== 'unknown_method');
  if (knows) return { kind: 'said', data: parsed.data, headers: answer.headers };
  const { status } = answer;
  if (status === 429 || status >= 500) {
    const found = `${origin} is in trouble (status ${status}).`;
    return check(warn('Slack', found, 'The tokens were not checked; slack-status.com tells more.'));
  }
  const found = `${apiUrl} does not answer as Slack does (status ${status}).`;
  // A test server may take events and messages alone: that is enough where it need not be asked who the bot is.
  const judged = botUserId === undefined ? fail : warn;
  return check(judged('SLACK_API_URL', found, sourceOf('SLACK_API_URL')));
}
