import { Worker } from 'node:worker_threads';

/**
 * After an event loop has been blocked for this many ticks, the process has lost its tasks: their messages are
 * visible again after at most 23 s.
 */
const HANGING = { tickMs: 1_000, maxSilentTicks: 25 };
/** The thread only counts. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Kills this process when it hangs, for example in an endless loop. Otherwise it would occupy one of the few
 * concurrent workers until its timeout. `thread` is the bundled file of `watchdog-thread.ts`. Time for which
 * Lambda freezes the process does not count: the watchdog is frozen too. Resolves when the watchdog runs.
 */
export function startWatchdog(thread: string, hanging = HANGING): Promise<void> {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const worker = new Worker(thread, { workerData: { beats, ...hanging }, resourceLimits: RESOURCE_LIMITS });
  worker.unref();
  // A process also works without a watchdog.
  worker.on('error', () => undefined);
  setInterval(() => Atomics.add(count, 0, 1), hanging.tickMs).unref();
  return new Promise((resolve) => worker.once('online', resolve));
}
