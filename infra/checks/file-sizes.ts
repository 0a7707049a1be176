import type { SourceFile } from './source-tree.ts';

/** Maximum length of a code file, in lines. The linter checks functions. */
const MAX_LINES = 300;

/** Reports code files that are too long, one sentence each, longest first. */
export function findLongFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.(?:ts|js|mjs|css|html)$/u.test(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MAX_LINES)
    .toSorted((a, b) => b.lines - a.lines)
    .map(({ path, lines }) => `${path}: ${lines} lines, ${MAX_LINES} at most; split it by meaning`);
}
