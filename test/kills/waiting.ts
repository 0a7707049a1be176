import { setTimeout as wait } from 'node:timers/promises';

/** The check reports a missing result; this timeout only ends the person's own wait. */
const TIMEOUT_MS = 20_000;
const AGAIN_MS = 300;

/** Resolves with true once the condition holds, or with false after some seconds. */
export async function soon(holds: () => boolean, ms = TIMEOUT_MS): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await wait(50)) if (holds()) return true;
  return holds();
}

/** Repeats an action until the app acknowledges it, for some seconds. Resolves with whether it did. */
export async function untilTaken(act: () => Promise<{ readonly acknowledged: boolean }>): Promise<boolean> {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await wait(AGAIN_MS)) {
    const outcome = await act().catch(() => ({ acknowledged: false }));
    if (outcome.acknowledged) return true;
  }
  return false;
}
