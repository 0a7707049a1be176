import { expect, test } from '@jest/globals';
import { findPortProblems } from '../../infra/checks/ports.ts';

const port = (members: string) => ({
  path: 'shared/platforms/ports/reader.ts',
  text: `/** Reads. */\nexport interface Reader {\n${members}}\n`,
});
const context = (members: string) => ({
  path: 'shared/chat/context.ts',
  text: `type Other = { readonly a?: string };\n\n/** What chat needs. */\nexport type ChatContext = Pick<Base, 'a'> & {\n${members}};\n\nconst x = 1;\n`,
});

test('a short port and a complete context pass the check', () => {
  const files = [
    port('  read(id: string, most?: number): void;\n'),
    context('  readonly read: (id?: string) => void;\n'),
  ];
  expect(findPortProblems(files)).toEqual([]);
});

test('an optional member of a port or a context fails the check', () => {
  const files = [
    port('  read?(id: string): void;\n  readonly name?: string;\n'),
    context('  readonly videos?: object | undefined;\n'),
  ];
  expect(findPortProblems(files)).toEqual([
    expect.stringContaining('Reader.read is optional'),
    expect.stringContaining('Reader.name is optional'),
    expect.stringContaining('ChatContext.videos is optional'),
  ]);
});

test('a port of more than 30 lines fails the check', () => {
  const members = Array.from({ length: 29 }, (_, n) => `  read${n}(): void;\n`).join('');
  expect(findPortProblems([port(members)])).toEqual([
    expect.stringContaining('Reader has 31 lines, 30 at most'),
  ]);
});
