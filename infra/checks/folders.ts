import { dirname } from 'node:path';
import type { SourceFile } from './tree.ts';

/** The most files of code in one folder of what is deployed or deploys, `index.ts` aside. */
export const MAX_FILES = 15;
/** Folders with a file for each of one kind: there a longer list is no harder to read. */
const MORE: Readonly<Record<string, number>> = { 'shared/commands/definitions': 30 };
const MEASURED = /^(?:shared|functions|infra)\/.*\.(?:ts|js|mjs)$/u;

/** Folders with too many files, or without a README that says in one to three sentences what they are for: a sentence each. */
export function crowdedFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter((one) => MEASURED.test(one.path))) {
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + (path.endsWith('/index.ts') ? 0 : 1));
  }
  const described = new Set(
    files.filter(({ path }) => path.endsWith('/README.md')).map(({ path }) => dirname(path)),
  );
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([folder, count]) => {
      const most = MORE[folder] ?? MAX_FILES;
      return [
        ...(count > most ? [`${folder}: ${count} files, ${most} at most; split it by meaning`] : []),
        ...(isDescribed(folder, described) ? [] : [`${folder}: has no README.md`]),
      ];
    });
}

/** Folders of texts and of examples are described by the one that they are in. */
const isDescribed = (folder: string, described: ReadonlySet<string>): boolean =>
  described.has(folder) || (folder.startsWith('shared/i18n/') && described.has('shared/i18n'));
