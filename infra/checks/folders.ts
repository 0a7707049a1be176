import { dirname } from 'node:path';
import type { SourceFile } from './source-tree.ts';

/** Maximum number of code files in one folder of `shared`, `functions` and `infra`, not counting `index.ts`. */
const MAX_FOLDER_FILES = 15;
/** Folders with one file per item, where a longer list stays readable. */
const EXCEPTIONS: Readonly<Record<string, number>> = { 'shared/commands/definitions': 40, functions: 20 };
const CHECKED_FILES = /^(?:shared|functions|infra)\/.*\.(?:ts|js|mjs)$/u;

/** Reports folders with too many files or without a README, one sentence each. */
export function findFolderProblems(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter((file) => CHECKED_FILES.test(file.path))) {
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + (path.endsWith('/index.ts') ? 0 : 1));
  }
  const described = new Set(
    files.filter(({ path }) => path.endsWith('/README.md')).map(({ path }) => dirname(path)),
  );
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([folder, count]) => {
      const maxFiles = EXCEPTIONS[folder] ?? MAX_FOLDER_FILES;
      return [
        ...(count > maxFiles ? [`${folder}: ${count} files, ${maxFiles} at most; split it by meaning`] : []),
        ...(isDescribed(folder, described) ? [] : [`${folder}: has no README.md`]),
      ];
    });
}

/** Folders of texts are described by the README of shared/i18n. */
const isDescribed = (folder: string, described: ReadonlySet<string>): boolean =>
  described.has(folder) || (folder.startsWith('shared/i18n/') && described.has('shared/i18n'));
