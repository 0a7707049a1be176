import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import * as v from 'valibot';

/** The thread of the watchdog, a separate file in the worker's bundle: see `watchdog.ts`. */
const { beats, tickMs, maxSilentTicks } = v.parse(
  v.object({ beats: v.instance(SharedArrayBuffer), tickMs: v.number(), maxSilentTicks: v.number() }),
  workerData,
);

const count = new Int32Array(beats);
let last = Atomics.load(count, 0);
let silent = 0;

setInterval(() => {
  const now = Atomics.load(count, 0);
  silent = now === last ? silent + 1 : 0;
  last = now;
  if (silent < maxSilentTicks) return;
  // `process.stdout` of a thread goes through the main thread, which hangs.
  const timestamp = new Date().toISOString();
  const line = { timestamp, level: 'error', event: 'worker.hung', ms: silent * tickMs };
  writeSync(1, `${JSON.stringify(line)}\n`);
  process.kill(process.pid, 'SIGKILL');
}, tickMs);
