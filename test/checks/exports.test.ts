import { expect, test } from '@jest/globals';
import { findUnusedExports } from '../../infra/checks/exports.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

const file = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });
const declaring = (line: string) => file('shared/chat/answer.ts', line);
const USER = 'shared/chat/user.ts';

test('this project exports no value that no other file imports', async () => {
  expect(findUnusedExports(await readSourceTree())).toEqual([]);
});

test.each([
  'export const answer = 1;',
  'export function answer() {}',
  'export async function answer() {}',
  'export class answer {}',
])('%s without an import is found', (line) => {
  expect(findUnusedExports([declaring(line)])).toEqual([
    'shared/chat/answer.ts: exports answer, which no other file imports',
  ]);
});

test('an index that exports a value again does not use it', () => {
  const index = file('shared/chat/index.ts', "export { answer } from './answer.ts';");
  expect(findUnusedExports([declaring('export const answer = 1;'), index])).toEqual([
    'shared/chat/answer.ts: exports answer, which no other file imports',
    'shared/chat/index.ts: re-exports answer, which no file imports',
  ]);
});

test.each([
  ['an import', file(USER, "import { answer } from './answer.ts';")],
  ['an import in a test', file('test/chat/answer.test.ts', "import { answer } from '../answer.ts';")],
  ['an import with another name', file(USER, 'import {', '  answer as one,', "} from './answer.ts';")],
  ['an import of the type of a class', file(USER, "import type { answer } from './answer.ts';")],
  ['an import of everything', file(USER, "import * as answers from './answer.ts';")],
  ['an import while the program runs', file(USER, "const { answer } = await import('./answer.ts');")],
  ['an index of a library', file('shared/upstream/index.ts', "export { answer } from './answer.ts';")],
])('%s uses an export', (_, user) => {
  expect(findUnusedExports([declaring('export const answer = 1;'), user])).toEqual([]);
});

test('an index that is imported while the program runs uses what it exports again', () => {
  const index = file('shared/chat/index.ts', "export { answer } from './answer.ts';");
  const user = file(
    'infra/parley/command.ts',
    "const { answer } = await import('../../shared/chat/index.ts');",
  );
  expect(findUnusedExports([declaring('export const answer = 1;'), index, user])).toEqual([]);
});

test('types and the handlers of Lambda need no import', () => {
  const handler = file('functions/worker.ts', 'export const handler = 1;');
  expect(findUnusedExports([declaring('export type Answer = string;'), handler])).toEqual([]);
});
