/** Of so many calls one lets the event loop turn. */
const CALLS_PER_TURN = 1_000;
let calls = 0;

/**
 * Resolves when no promise can go on without the simulated clock. A tick runs when the microtasks have ended, and costs less
 * than a turn of the event loop. Sometimes the loop turns all the same: for the garbage collector's callbacks and messages of
 * other processes.
 */
export function drainPromises(): Promise<void> {
  calls += 1;
  if (calls % CALLS_PER_TURN === 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => process.nextTick(resolve));
}
