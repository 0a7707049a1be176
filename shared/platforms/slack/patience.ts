import type { Time } from './deps.ts';

/** How long to go on trying, and what ends it earlier. */
export type Patience = {
  readonly time: Time;
  /** ms since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
};

/** The answer could not be made visible in the time given; `cause` is what the last call failed with. */
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
  if (time.now() + ms > deadline) throw new NotShown('no time is left to show the answer', { cause });
  await time.sleep(ms, signal);
}
