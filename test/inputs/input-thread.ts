import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { ENTRY_POINTS } from './entry-points.ts';
import { BLOCK, noteLost, runBlock } from './run-block.ts';

/** A thread of `npm run inputs`. Reports the start of each input, so that the main thread can detect a hang. */
const { at, seed, limitMs } = v.parse(
  v.object({ at: v.instance(SharedArrayBuffer), seed: v.number(), limitMs: v.number() }),
  workerData,
);
const task = v.object({ entry: v.string(), block: v.number() });
const [input, beat] = [0, 1];
const progress = new Int32Array(at);

const begin = (replay: string): void => {
  Atomics.store(progress, input, Number(replay.split(':').at(-1)));
  Atomics.add(progress, beat, 1);
};

process.on('unhandledRejection', noteLost);
parentPort?.on('message', (message) => {
  const { entry: name, block } = v.parse(task, message);
  const entry = ENTRY_POINTS.find((one) => one.name === name);
  if (!entry) throw new Error(`no such entry point: ${name}`);
  void runBlock(entry, seed, block, { begin, limitMs }).then((findings) =>
    parentPort?.postMessage({ inputs: BLOCK, findings }),
  );
});
