import * as v from 'valibot';
import { type Check, fail, pass, type Probe, type ProbeResult, warn } from '../../../configuration/index.ts';

const responseSchema = v.union([
  v.object({ ok: v.literal(true) }),
  v.object({ ok: v.literal(false), error: v.string() }),
]);

export type SlackAccess = { readonly apiUrl: string; readonly botToken: string };

/** Checks that the bot is a member of the channel (`C0123456789`): whether it may read the last message. */
export async function checkSlackChannel(
  { apiUrl, botToken }: SlackAccess,
  channel: string,
  probe: Probe,
): Promise<Check> {
  const url = new URL('conversations.history', apiUrl);
  url.search = String(new URLSearchParams({ channel, limit: '1' }));
  const headers = { authorization: `Bearer ${botToken}` };
  return evaluateSlackChannel(channel, await probe(url.href, { headers }));
}

/** Evaluates the response to `conversations.history`. */
function evaluateSlackChannel(channel: string, response: ProbeResult): Check {
  const name = `Slack channel ${channel}`;
  const parsed = response.kind === 'answered' ? v.safeParse(responseSchema, response.json) : undefined;
  if (!parsed?.success)
    return warn(name, 'was not checked, because Slack does not answer.', 'Try again later.');
  if (parsed.output.ok) return pass(name, 'has the bot as a member.');
  const { error } = parsed.output;
  const problem = CHANNEL_PROBLEMS[error];
  if (problem) return fail(name, `${problem.finding} (${error}).`, problem.fix);
  return warn(name, `could not be read (${error}).`, 'Try again in a minute.');
}

/** Source: docs.slack.dev/reference/methods/conversations.history. */
const CHANNEL_PROBLEMS: Readonly<Record<string, { readonly finding: string; readonly fix: string }>> = {
  not_in_channel: {
    finding: 'does not have the bot as a member: it receives no message there',
    fix: 'In Slack, type /invite @parley in the channel.',
  },
  channel_not_found: {
    finding: 'does not exist in the workspace of the token, or is private and the bot is no member',
    fix: 'In Slack, type /invite @parley in the channel, and copy its id from the end of "View channel details". If it still fails, SLACK_BOT_TOKEN is of another workspace.',
  },
  missing_scope: {
    finding: 'cannot be read, because the token lacks a scope',
    fix: 'Add channels:history and groups:history at api.slack.com/apps > your app > OAuth & Permissions, and install the app again.',
  },
};
