import { basename, dirname } from 'node:path';
import type { Covered } from './covered.ts';
import type { Mutant } from './mutate.ts';

/** The suites that are asked about one change, the most likely first, and how long they took as the code is. */
export type Suites = { readonly suites: readonly string[]; readonly ms: number };

const MOST_SUITES = 40;
/** Beyond the first of them, which is asked however long it takes. */
const MOST_MS = 45_000;

/**
 * The suites that run the code of a change: those of the folder that mirrors the file first, of these the one of the
 * same name, and then the fast ones. `before` is the suite that noticed this change the last time.
 */
export function suitesFor(
  mutant: Pick<Mutant, 'path' | 'start' | 'end'>,
  covered: readonly Covered[],
  before?: string,
): Suites {
  const rank = ({ suite, ms }: Covered): number => {
    if (suite === before) return -3;
    if (basename(suite, '.test.ts') === basename(mutant.path, '.ts')) return -2;
    return ms / 10 ** closeness(mutant.path, suite);
  };
  const chosen: string[] = [];
  let sum = 0;
  for (const { suite, ms } of running(mutant, covered).toSorted((a, b) => rank(a) - rank(b))) {
    if (chosen.length >= MOST_SUITES || (chosen.length > 0 && sum + ms > MOST_MS)) continue;
    chosen.push(suite);
    sum += ms;
  }
  return { suites: chosen, ms: sum };
}

/** How many folders a file and a suite share: `shared/upstream/http/retry.ts` and `test/upstream/attempts.test.ts` one. */
function closeness(path: string, suite: string): number {
  const folders = dirname(path)
    .replace(/^shared\//u, '')
    .split('/');
  const those = dirname(suite).split('/').slice(1);
  const apart = folders.findIndex((folder, at) => folder !== those[at]);
  return apart === -1 ? folders.length : apart;
}

/**
 * The suites that called the innermost function around the change. What stands outside of functions runs once in a process,
 * whichever suite was first: then all that called a function of the file.
 */
function running(
  { path, start, end }: Pick<Mutant, 'path' | 'start' | 'end'>,
  covered: readonly Covered[],
): Covered[] {
  const around = covered.flatMap((of) => {
    const ranges = of.files[path] ?? [];
    const sizes = ranges.filter(([from, to]) => from <= start && end <= to).map(([from, to]) => to - from);
    const whole = ranges.some(([from]) => from === 0);
    return of.passed && ranges.length > (whole ? 1 : 0) ? [{ of, size: Math.min(Infinity, ...sizes) }] : [];
  });
  const least = Math.min(...around.map(({ size }) => size));
  const inside = around.filter(({ size }) => size === least);
  const outside = inside.every(({ of }) =>
    of.files[path]?.some(([from, to]) => from === 0 && to - from === least),
  );
  return (outside ? around : inside).map(({ of }) => of);
}
