import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory of the process (bytes) after garbage collection. */
export type Sample = {
  readonly atMs: number;
  readonly heap: number;
  readonly external: number;
  readonly rss: number;
};

/** Takes samples, each after a garbage collection. */
export function sampler(): (atMs: number) => Sample {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot be told to collect');
  return (atMs) => {
    // The second collection frees what only weak references and finalizers held.
    for (let n = 0; n < 2; n += 1) Reflect.apply(collect, undefined, []);
    const { heapUsed: heap, external, rss } = process.memoryUsage();
    return { atMs, heap, external, rss };
  };
}

export type Growth = {
  /** The medians (bytes) of the first and the last third of the samples. */
  readonly first: number;
  readonly last: number;
  readonly grows: boolean;
};

/** The tolerated growth: open threads, and code that was compiled meanwhile. */
const MAX_GROWTH = 0.06;

const median = (of: readonly number[]): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;

/** Whether the memory grows from the first to the last third of the samples. */
export function growthOf(sizes: readonly number[]): Growth {
  const third = Math.max(1, Math.floor(sizes.length / 3));
  const [first, last] = [median(sizes.slice(0, third)), median(sizes.slice(-third))];
  return { first, last, grows: last > first * (1 + MAX_GROWTH) };
}
