import type { SourceFile } from './tree.ts';

/** The longest a file of code may be, in lines. (Functions are measured by the linter.) */
export const MAX_LINES = 300;

/** Files of code that are too long, one sentence each, the longest first. */
export function tooLong(files: readonly SourceFile[], most: number = MAX_LINES): string[] {
  return files
    .filter(({ path }) => /\.(?:ts|js|mjs|css|html)$/u.test(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > most)
    .toSorted((a, b) => b.lines - a.lines)
    .map(({ path, lines }) => `${path}: ${lines} lines, ${most} at most; split it by meaning`);
}
