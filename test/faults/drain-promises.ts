/** After this many calls the event loop turns once. */
const CALLS_PER_TURN = 1_000;
let calls = 0;

/**
 * Resolves when no promise can continue without the simulated clock. `nextTick` runs after the microtasks and costs
 * less than a turn of the event loop. Sometimes the loop turns nevertheless, for garbage collection callbacks and
 * messages of other processes.
 */
export function drainPromises(): Promise<void> {
  calls += 1;
  if (calls % CALLS_PER_TURN === 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => process.nextTick(resolve));
}
