import { failureOf } from './call-failure.ts';
import type { Time } from './deps.ts';

/** How long to go on trying, and what ends it earlier. */
export type Patience = {
  readonly time: Time;
  /** ms since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
};

/** What was asked could not be done in the time given; `cause` is what the last call failed with. */
export class NotShown extends Error {
  override readonly name = 'NotShown';
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** Waits before the next try: what Slack asks for, or longer with every attempt. Throws NotShown if time runs out. */
export async function pauseBefore(
  attempt: number,
  askedMs: number | undefined,
  { time, deadline, signal }: Patience,
  cause: unknown,
): Promise<void> {
  const ms = askedMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
  if (time.now() + ms > deadline) throw new NotShown('no time is left for Slack', { cause });
  await time.sleep(ms, signal);
}

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export async function persist<T>(call: () => Promise<T>, patience: Patience): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'refused') throw error;
      await pauseBefore(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
    }
  }
}
