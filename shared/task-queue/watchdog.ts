import { Worker } from 'node:worker_threads';

/**
 * A process whose event loop has not turned for so many ticks of a second has lost its tasks by then: their messages are visible again after 23 s
 * at most.
 */
const HANGING = { tickMs: 1_000, maxSilentTicks: 25 };
/** It counts, and nothing else. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Kills this process when it hangs, as in a loop that never ends: without that it would keep its place until its time is up, one of the few
 * that workers have. `thread` is the file of `watchdog-thread.ts`. What Lambda freezes between two invocations does not count: then the
 * watchdog stands still too. Resolves when it watches.
 */
export function startWatchdog(thread: string, hanging = HANGING): Promise<void> {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const worker = new Worker(thread, { workerData: { beats, ...hanging }, resourceLimits: RESOURCE_LIMITS });
  worker.unref();
  // A process without a watchdog works all the same.
  worker.on('error', () => undefined);
  setInterval(() => Atomics.add(count, 0, 1), hanging.tickMs).unref();
  return new Promise((resolve) => worker.once('online', resolve));
}
