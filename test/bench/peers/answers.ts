import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { processorMs } from '../measured-process.ts';
import { prose } from '../prose.ts';
import { PEOPLE, type Subject } from './subjects.ts';

/** What the simulated model answers: its tokens, and the ms before each. */
export type Script = { readonly tokens: number; readonly paceMs: number };

/** One measured answer; times in ms. */
export type Measured = {
  /** From the question to the first text on the platform. */
  readonly firstMs: number;
  /** From the last token of the model to the end of the message there. */
  readonly lastMs: number;
  /** Requests to the API of the platform. */
  readonly calls: number;
  /** Processor time of the process that answers. */
  readonly processorMs: number;
};

const TIMEOUT_MS = 30_000;
/** Requests and processor time after an answer belong to it. */
const SETTLED_MS = 400;

/** Of English prose, including the space. */
const TOKEN_BYTES = 4;
/** The last words of each answer: a message without them is not whole. */
export const END = 'This is the end.';

export function questionOf({ tokens, paceMs }: Script): string {
  const answer = `${prose(tokens * TOKEN_BYTES - END.length - 2, tokens).trim()}. ${END}`;
  return `[[sim:say=${answer}]]${paceMs > 0 ? ` [[sim:slow=${paceMs}]]` : ''}`;
}

/** A direct message, or a mention in a channel, where Parley waits for the first sentence. */
export type Place = 'dm' | 'channel';

/** A question that was asked. */
export type Question = { readonly channel: string; readonly ts: string; readonly isDm: boolean };

/** Lets a person ask. `suffix`: text after the question. */
export async function ask(
  { slack }: Subject,
  by: number,
  place: Place,
  script: Script,
  suffix = '',
): Promise<Question> {
  const { id = '', name = '' } = PEOPLE[by % PEOPLE.length] ?? {};
  const isDm = place === 'dm';
  const channel = isDm ? id.replace(/^U/u, 'D') : slack.channel;
  const ts = await slack.say(name, `${isDm ? '' : '@parley '}${questionOf(script)}${suffix}`, { channel });
  return { channel, ts, isDm };
}

/** The bot's message with text to a question: in its thread, or below it in a direct message. The Chat SDK posts `...` first. */
export const answerTo = ({ slack }: Subject, { channel, ts, isDm }: Question) =>
  [...(slack.core.state.messages.get(channel)?.values() ?? [])].findLast(
    (one) =>
      (one.thread === ts || (isDm && one.ts > ts)) &&
      one.user === slack.botUserId &&
      one.text !== '' &&
      one.text !== '...',
  );

/** Whether the answer to a question is there as a whole: it has its last words, and does not stream any more. */
export function isWhole(subject: Subject, question: Question): boolean {
  const message = answerTo(subject, question);
  return message?.text.includes(END) === true && message.stream?.open !== true;
}

/** One question of this person, alone. Rejects when it is not answered within 30 s. */
export async function measureAnswer(
  subject: Subject,
  by: number,
  place: Place,
  script: Script,
): Promise<Measured> {
  const { slack, upstream } = subject;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const before = { calls: slack.calls.length, processorMs: processorMs(subject.pid()) };
  const begin = performance.now();
  const lastToken = untilLastToken(upstream, signal);
  lastToken.catch(() => undefined);
  const question = await ask(subject, by, place, script);
  await slack.core.until(() => answerTo(subject, question), signal);
  const firstMs = performance.now() - begin;
  await slack.core.until(() => isWhole(subject, question) || undefined, signal);
  const wholeAt = performance.now();
  const lastMs = Math.max(0, wholeAt - (await lastToken));
  await after(SETTLED_MS);
  return {
    firstMs,
    lastMs,
    calls: slack.calls.length - before.calls,
    processorMs: processorMs(subject.pid()) - before.processorMs,
  };
}

/** Resolves with the moment in which the model has sent its whole answer. */
export async function untilLastToken({ journal }: Subject['upstream'], signal: AbortSignal): Promise<number> {
  const seen = journal.length;
  for (;;) {
    signal.throwIfAborted();
    const entry = journal.slice(seen).find(({ path }) => path.endsWith('/chat/completions'));
    if (entry !== undefined && entry.ended !== 'open') return performance.now();
    await after(1);
  }
}

/** Requests to the simulated model itself. The first one also opens the connection. */
const OWN_REQUESTS = 6;

/** The time of the simulated model itself before its first word (ms): the shortest of several. */
export async function ownFirstMs({ upstream }: Pick<Subject, 'upstream'>, script: Script): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < OWN_REQUESTS; n += 1)
    shortest = Math.min(shortest, await firstWordMs(upstream, script));
  return shortest;
}

/** From a request to the first word of its response (ms). */
async function firstWordMs(upstream: Subject['upstream'], script: Script): Promise<number> {
  const begin = performance.now();
  const response = await fetch(`${upstream.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${upstream.apiKey}` },
    body: JSON.stringify({
      model: 'vendor-edge-2603',
      stream: true,
      messages: [{ role: 'user', content: questionOf(script) }],
    }),
  });
  let first = Number.NaN;
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (Number.isNaN(first) && /"content":\s*"[^"]/u.test(text)) first = performance.now() - begin;
  }
  return first;
}
