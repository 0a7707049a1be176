import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findStaleNames } from '../../infra/checks/names/documents.ts';
import { PROJECT, readScriptNames, readSourceTree } from '../../infra/checks/source-tree.ts';

/** The documents as they are, with one more that says this. */
const staleIn = async (text: string): Promise<string[]> =>
  findStaleNames([...(await readSourceTree()), { path: 'docs/other.md', text }], ['check']);

test('documents name only paths, tests, scripts, exports and log events that exist', async () => {
  expect(findStaleNames(await readSourceTree(), await readScriptNames())).toEqual([]);
});

test.each([
  ['a missing path', 'See `shared/chat/gone.ts`.', 'no file or folder shared/chat/gone.ts'],
  ['a test that matches no file', '`npm test -- test/checks test/gone`', 'no test test/gone'],
  ['a missing script', '`npm run gone`', 'no script gone'],
  ['a log event that no code writes', '`question.gone`', 'no log event question.gone'],
  [
    'a missing export',
    '`gone` in `infra/checks/source-tree.ts`',
    'infra/checks/source-tree.ts exports no gone',
  ],
])('findStaleNames reports %s', async (_, text, fault) => {
  const faults = await staleIn(text);
  expect(faults.filter((line) => line.startsWith('docs/other.md'))).toEqual([`docs/other.md: ${fault}`]);
});

test('findStaleNames accepts names that exist', async () => {
  const text =
    '`readSourceTree` in `infra/checks/source-tree.ts`, `npm run check`, `npm test -- test/checks`, `task.failed`, `shared/chat`';
  expect((await staleIn(text)).filter((line) => line.startsWith('docs/other.md'))).toEqual([]);
});

test('findStaleNames reports an ARCHITECTURE.md that is too long', () => {
  expect(findStaleNames([{ path: 'ARCHITECTURE.md', text: 'word '.repeat(3_501) }], [])).toEqual([
    'ARCHITECTURE.md: 3501 words, 3500 at most',
  ]);
});

test('CONTRIBUTING.md leads to twelve behaviors, each by a file and the function in it', async () => {
  const page = await readFile(join(PROJECT, 'CONTRIBUTING.md'), 'utf8');
  const [, after = ''] = page.split('## Find your way\n');
  const [section = ''] = after.split('\n## ');
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  expect(rows).toHaveLength(12);
  // That each pair exists is what findStaleNames holds.
  for (const row of rows) expect(row).toMatch(/`\w+` in `shared\/[\w./-]+\.ts`/u);
});
