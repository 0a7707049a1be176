import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the process holds (bytes) once all that can be freed is. */
export type Sample = {
  readonly atMs: number;
  readonly heap: number;
  readonly external: number;
  readonly rss: number;
};

/** Takes samples, each after a collection of all that can be freed. */
export function sampler(): (atMs: number) => Sample {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot be told to collect');
  return (atMs) => {
    // What only weak references and finalizers hold goes with the second.
    for (let n = 0; n < 2; n += 1) Reflect.apply(collect, undefined, []);
    const { heapUsed: heap, external, rss } = process.memoryUsage();
    return { atMs, heap, external, rss };
  };
}

export type Growth = {
  /** Medians (bytes) of the first third of the samples and of the last. */
  readonly first: number;
  readonly last: number;
  readonly grows: boolean;
};

/** What may be more at the end than at the beginning: threads that happen to be open, and code that was compiled since. */
const MAX_GROWTH = 0.06;

const median = (of: readonly number[]): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;

/** Whether what is held grows from the first third of the samples to the last. */
export function growthOf(sizes: readonly number[]): Growth {
  const third = Math.max(1, Math.floor(sizes.length / 3));
  const [first, last] = [median(sizes.slice(0, third)), median(sizes.slice(-third))];
  return { first, last, grows: last > first * (1 + MAX_GROWTH) };
}
