import { basename, dirname } from 'node:path';
import { findImports } from '../../infra/checks/imports.ts';
import type { SourceFile } from '../../infra/checks/source-tree.ts';
import type { Covered } from './coverage.ts';
import type { Mutant } from './mutate.ts';

/** A suite that is asked about a change, and how long it took as the code is. */
export type Suite = Pick<Covered, 'suite' | 'ms'>;

/** The suites that are asked: all but those that start whole systems. */
export const SUITES =
  'test/(aws|billing|chat|commands|conformance/[a-z-]+.test|documents|domain|faults|functions|i18n|installs|limits|platforms|privacy|rate-limits|runtime|settings|storage|summary|task-queue|upstream|video|videos|voice|worker)';

export const ASKED = new RegExp(`^${SUITES}`, 'u');

const MAX_SUITES = 40;
/** Beyond the first of them, which is asked however long it takes. */
const MAX_MS = 25_000;

/** What is known of the code: which functions each suite calls, and which files import a file. */
export type Known = {
  readonly covered: readonly Covered[];
  readonly importers: ReadonlyMap<string, readonly string[]>;
};

/** Which files import each file. */
export function importersIn(files: readonly SourceFile[]): Map<string, string[]> {
  const suitesByFile = new Map<string, string[]>();
  for (const { from, target, isTypeOnly: types } of files
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(findImports)) {
    if (!types) suitesByFile.set(target, [...(suitesByFile.get(target) ?? []), from]);
  }
  return suitesByFile;
}

/**
 * The suites that run the code of a change: those of the folder that mirrors the file first, of these the one of the
 * same name, and then the fast ones. `before` is the suite that noticed this change the last time. `rest` are those that
 * are asked only where none of these notices: nearly always one does, and together they take long.
 */
export function suitesFor(
  mutant: Pick<Mutant, 'path' | 'start' | 'end'>,
  index: Known,
  before?: string,
): { readonly suites: readonly Suite[]; readonly rest: readonly Suite[] } {
  const rank = ({ suite, ms }: Covered): number => {
    if (suite === before) return -3;
    if (basename(suite, '.test.ts') === basename(mutant.path, '.ts')) return -2;
    return ms / 10 ** closeness(mutant.path, suite);
  };
  const suites: Suite[] = [];
  const rest: Suite[] = [];
  let sum = 0;
  for (const { suite, ms } of running(mutant, index).toSorted((a, b) => rank(a) - rank(b))) {
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

type Place = Pick<Mutant, 'path' | 'start' | 'end'>;

/**
 * The suites that called the innermost function around the change. What stands outside of functions runs once in a process,
 * whichever suite was first: then all that called a function of the file, or of one that imports it.
 */
function running({ path, start, end }: Place, { covered, importers }: Known): Covered[] {
  const around = covered.flatMap((of) => {
    const ranges = of.files[path] ?? [];
    const sizes = ranges.filter(([from, to]) => from <= start && end <= to).map(([from, to]) => to - from);
    return of.passed && calls(of, path) ? [{ of, size: Math.min(Infinity, ...sizes) }] : [];
  });
  const least = Math.min(...around.map(({ size }) => size));
  const inside = around.filter(({ size }) => size === least);
  // The range of the whole file is on record for the first suite of each process alone.
  const isOutside =
    least === Infinity ||
    inside.every(({ of }) => of.files[path]?.some(([from, to]) => from === 0 && to - from === least));
  if (!isOutside) return inside.map(({ of }) => of);
  const files = [path, ...(importers.get(path) ?? [])];
  return covered.filter((of) => of.passed && files.some((file) => calls(of, file)));
}

/** Whether a suite called a function of a file: that it loaded the file says nothing of another suite in its process. */
function calls({ files }: Covered, path: string): boolean {
  const ranges = files[path] ?? [];
  return ranges.length > (ranges.some(([from]) => from === 0) ? 1 : 0);
}
