import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { answerTo, ask, isWhole, type Script } from './answers.ts';
import type { Subject } from './subjects.ts';

/** Many questions at once: how many were answered completely, and when (ms after they were asked). */
export type Crowd = { readonly questionCount: number; readonly answeredMs: readonly number[] };

/** Each question is of another person, by a mention in a channel. Waits until all are answered, at most this long. */
export async function askAtOnce(
  subject: Subject,
  count: number,
  script: Script,
  timeoutMs: number,
): Promise<Crowd> {
  const begin = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const { core } = subject.slack;
  const answers = Array.from({ length: count }, async (_, n) => {
    const question = await ask(subject, n, 'channel', script);
    await core.until(() => isWhole(subject, question) || undefined, signal);
    return performance.now() - begin;
  });
  const settled = await Promise.allSettled(answers);
  return {
    questionCount: count,
    answeredMs: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
  };
}

/** Long enough that no bot is at its end half a second after its first word. */
const KILLED: Script = { tokens: 400, paceMs: 20 };

/** Ends the process in the middle of an answer. Resolves with the ms until the message is complete; undefined if never. */
export async function killDuringAnswer(
  subject: Subject,
  by: number,
  timeoutMs: number,
): Promise<number | undefined> {
  const question = await ask(subject, by, 'channel', KILLED);
  const signal = AbortSignal.timeout(timeoutMs);
  await subject.slack.core.until(() => answerTo(subject, question), signal);
  await after(500);
  const begin = performance.now();
  await subject.crash();
  return await subject.slack.core
    .until(() => isWhole(subject, question) || undefined, signal)
    .then(
      () => performance.now() - begin,
      () => undefined,
    );
}
