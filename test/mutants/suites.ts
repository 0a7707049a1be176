import { basename, dirname } from 'node:path';
import type { Covered } from './coverage.ts';
import type { Mutant } from './mutate.ts';

/** A suite that is asked about a change, and how long it took as the code is. */
export type Suite = Pick<Covered, 'suite' | 'ms'>;

const MAX_SUITES = 40;
/** Beyond the first of them, which is asked however long it takes. */
const MAX_MS = 25_000;

/**
 * The suites that run the code of a change: those of the folder that mirrors the file first, of these the one of the
 * same name, and then the fast ones. `before` is the suite that noticed this change the last time. `rest` are those that
 * are asked only where none of these notices: nearly always one does, and together they take long.
 */
export function suitesFor(
  mutant: Pick<Mutant, 'id' | 'path'>,
  covered: readonly Covered[],
  before?: string,
): { readonly suites: readonly Suite[]; readonly rest: readonly Suite[] } {
  const rank = ({ suite, ms }: Covered): number => {
    if (suite === before) return -3;
    if (basename(suite, '.test.ts') === basename(mutant.path, '.ts')) return -2;
    return ms / 10 ** closeness(mutant.path, suite);
  };
  const running = covered.filter(({ passed, ran }) => passed && ran.includes(mutant.id));
  const suites: Suite[] = [];
  const rest: Suite[] = [];
  let sum = 0;
  for (const { suite, ms } of running.toSorted((a, b) => rank(a) - rank(b))) {
    const isFirst = suites.length === 0 || (suites.length < MAX_SUITES && sum + ms <= MAX_MS);
    (isFirst ? suites : rest).push({ suite, ms });
    if (isFirst) sum += ms;
  }
  return { suites, rest };
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
