import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import { SlackRateLimitError, type SlackCall } from '../../shared/platforms/slack/index.ts';
import type { Time } from '../../shared/runtime/index.ts';

export type CanaryDeps = {
  readonly call: SlackCall;
  /** Posts to the request URL of the Slack app. Resolves with the status of the response. */
  readonly post: (body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
  readonly signingSecret: () => Promise<string>;
  /** The channel of the question and its author. */
  readonly channel: string;
  readonly person: string;
  readonly time: Time;
  /** In [0, 1). */
  readonly random: () => number;
};

/** The timeout of an answer, and the interval of the polls of the canary. */
const MAX_WAIT_MS = 120_000;
const CANARY_POLL_MS = 10_000;

/** A question is not answered. `name` and `message` are logged. */
export class CanaryError extends Error {
  override readonly name = 'CanaryError';
}

const Bot = v.object({ user_id: v.string(), team_id: v.string() });
const Posted = v.object({ ts: v.string() });
const Replies = v.object({
  messages: v.array(
    v.object({ ts: v.string(), user: v.optional(v.string()), text: v.optional(v.string(), '') }),
  ),
});

/** Asks the question of the canary. Resolves with the time in ms; rejects like `askTestQuestion`. */
export async function askCanary(context: CanaryDeps): Promise<number> {
  return (await askTestQuestion(context, { label: 'Canary', pollMs: CANARY_POLL_MS })).timeMs;
}

export type TestQuestion = {
  /** Stands before the question in the channel. */
  readonly label: string;
  readonly pollMs: number;
};
export type TestAnswer = { readonly question: string; readonly text: string; readonly timeMs: number };

/**
 * Asks a question the way a person does: it posts a signed event to the request URL, and waits until the worker's answer is
 * in the thread. Rejects with CanaryError if there is no correct answer in two minutes, and with the error that prevents the
 * question.
 */
export async function askTestQuestion(
  context: CanaryDeps,
  { label, pollMs }: TestQuestion,
): Promise<TestAnswer> {
  const { call, channel, time } = context;
  const bot = v.parse(Bot, await call('auth.test', {}));
  const number = 100 + Math.floor(context.random() * 800);
  const question = `What is ${number} + 1?`;
  // A thread needs a root message in Slack. The bot posts it, and the front drops its own messages.
  const { ts } = v.parse(Posted, await call('chat.postMessage', { channel, text: `${label}: ${question}` }));
  const begunMs = time.now();
  await send(createEvent(ts, `<@${bot.user_id}> ${question}`, bot, context), context);
  while (time.now() - begunMs < MAX_WAIT_MS) {
    await time.sleep(pollMs);
    const answers = await listReplies(ts, bot.user_id, context);
    const text = answers.find((one) => one.includes(String(number + 1)));
    if (text !== undefined) return { question, text, timeMs: time.now() - begunMs };
  }
  throw new CanaryError(`no answer within ${MAX_WAIT_MS / 1_000} s`);
}

function createEvent(ts: string, text: string, bot: v.InferOutput<typeof Bot>, context: CanaryDeps): string {
  const { channel, person: user, time } = context;
  return JSON.stringify({
    type: 'event_callback',
    team_id: bot.team_id,
    event_id: `EvCANARY${ts.replace('.', '')}`,
    event_time: Math.floor(time.now() / 1_000),
    authorizations: [{ enterprise_id: null, team_id: bot.team_id, user_id: bot.user_id, is_bot: true }],
    event: { type: 'app_mention', user, text, ts, event_ts: ts, channel },
  });
}

async function send(body: string, { post, signingSecret, time }: CanaryDeps): Promise<void> {
  const timestamp = String(Math.floor(time.now() / 1_000));
  const hmac = createHmac('sha256', await signingSecret())
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const status = await post(body, {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${hmac}`,
  });
  if (status !== 200) throw new CanaryError(`the front answered ${status}`);
}

/** The bot's replies to the question. Empty while Slack refuses to list them. */
async function listReplies(
  ts: string,
  bot: string,
  { call, channel, time }: CanaryDeps,
): Promise<readonly string[]> {
  try {
    const { messages } = v.parse(Replies, await call('conversations.replies', { channel, ts, limit: 15 }));
    return messages.filter((one) => one.user === bot && one.ts !== ts).map(({ text }) => text);
  } catch (error) {
    // Apps outside the Marketplace may request replies once a minute.
    if (!(error instanceof SlackRateLimitError)) throw error;
    await time.sleep(error.retryAfterMs);
    return [];
  }
}
