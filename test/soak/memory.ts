import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory of the process (bytes) after garbage collection. */
export type Sample = { readonly heap: number; readonly external: number; readonly rss: number };

/** Takes samples, each after a garbage collection. */
export function sampler(): () => Promise<Sample> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot be told to collect');
  return async () => {
    // The second collection frees what only weak references and finalizers held, which run in between.
    for (let n = 0; n < 2; n += 1) {
      Reflect.apply(collect, undefined, []);
      await nextTurn();
    }
    const { heapUsed: heap, external, rss } = process.memoryUsage();
    return { heap, external, rss };
  };
}

/** A sample while nobody asks: every thread is answered, checked and removed from the simulators and the tables. */
export type Rest = Sample & { readonly questions: number };

/** Code that was compiled meanwhile, and caches that were not full at the first rest (bytes). */
const CONSTANT_BYTES = 3 * 2 ** 20;
/** Less than the smallest object, a promise or a closure, for each question. */
const BYTES_PER_QUESTION = 32;
/** Before so many questions, the caches of the process fill: of people, channels and recent messages. */
const MIN_QUESTIONS = 5_000;

/**
 * Returns what the process keeps of the questions between the first rest and the last one: on the heap, and outside of it (buffers). The
 * resident memory is not compared, because the allocator keeps freed pages.
 */
export function listKept(rests: readonly Rest[]): readonly string[] {
  const [first, last] = [rests[0], rests.at(-1)];
  if (!first || !last || first.questions < MIN_QUESTIONS) return [];
  const questions = last.questions - first.questions;
  const allowed = CONSTANT_BYTES + BYTES_PER_QUESTION * questions;
  const kinds = { heap: 'the heap', external: 'what is outside of the heap' } as const;
  return (['heap', 'external'] as const).flatMap((kind) => {
    const growth = last[kind] - first[kind];
    return growth > allowed
      ? [
          `${kinds[kind]} keeps ${mb(growth)} MB of ${questions} questions: ${mb(first[kind])}, then ${mb(last[kind])} MB`,
        ]
      : [];
  });
}

export const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
