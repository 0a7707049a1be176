import { expect, test } from '@jest/globals';
import { findRetiredWords } from '../../infra/checks/names/retired-words.ts';

const declaring = (text: string) => [{ path: 'shared/chat/answer.ts', text }];

test.each([
  ['const patience = 1', 'patience is retired, use retry options'],
  ['function postWhisper() {}', 'postWhisper is retired, use ephemeral message'],
  ['type GuildShelf = string', 'GuildShelf is retired, use store'],
  ['function apologise() {}', 'apologise is retired, use postFailureNotice'],
  ['const MOST_FILES = 3', 'MOST_FILES names a bound'],
  ['const said = 1', 'said does not say what it names'],
  ['function found(list) {}', 'found does not say what it names'],
  ['const { max: most } = option', 'most does not say what it names'],
  ['function read({ path, timeoutMs: patience }: Config) {}', 'patience is retired, use retry options'],
  ["throw new Error('nobody hears it')", 'has a retired phrase: receive or transcribe'],
  ["  fail(name, finding, 'Copy the token anew.')", 'has a retired phrase: again'],
  ["  'Copy the token anew.',", 'has a retired phrase: again'],
  ["    en: 'Begin anew today',", 'has a retired phrase: again'],
  ['export const keysOf = (secret: string) => secret', 'keysOf does not begin with a verb'],
  ['export async function keysOf<T>(secret: T) {}', 'keysOf does not begin with a verb'],
  ['const keysOf = (secret) => secret', 'keysOf does not begin with a verb'],
  ['function keysOf(secret) {}', 'keysOf does not begin with a verb'],
  ['class Stopped extends Error {}', 'the error class Stopped does not end in Error'],
])('%s fails the check', (text, problem) => {
  expect(findRetiredWords(declaring(text))).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ['test(`the limit starts anew`, act)', 'has a retired phrase: again'],
  ["test.each([[1]])('%s is had', act)", 'has a retired phrase: is returned'],
])('the title of the test %s fails the check', (text, problem) => {
  expect(findRetiredWords([{ path: 'test/chat/answer.test.ts', text }])).toEqual([
    expect.stringContaining(problem),
  ]);
});

test('a retired word fails the check in tests too, and in the name of a file', () => {
  const inTest = { path: 'test/chat/answer.test.ts', text: 'const shelf = 1' };
  expect(findRetiredWords([inTest])).toEqual([expect.stringContaining('shelf is retired, use store')]);
  const named = { path: 'test/discord/ticket.test.ts', text: '' };
  expect(findRetiredWords([named])).toEqual([
    expect.stringContaining('ticket is retired, use interactionToken'),
  ]);
});

test('an English text of the bot fails the check, and others do not', () => {
  const text = '{ "title": "Begin anew" }';
  expect(findRetiredWords([{ path: 'shared/i18n/commands/en.json', text }])).toHaveLength(1);
  expect(findRetiredWords([{ path: 'shared/i18n/commands/de.json', text }])).toEqual([]);
});

test.each([
  "// The token is copied anew: 'Copy it anew.'",
  "const word = 'anew'",
  'const retryOptions = 1',
  'function shelfish() {}',
  'class StoppedError extends ClaimLostError {}',
  'const MAX_FILES = 3',
  '// A function whose name is unknown is let through.',
  'const { said } = harness',
  'const text = localize(locale, key, { most: max })',
  'export const LEVELS_OF = 1',
  'export function oneOf(names) {}',
  '  const keysOf = (secret) => secret',
  'const isThreadOf = (channel) => true',
])('%s passes the check', (text) => {
  expect(findRetiredWords(declaring(text))).toEqual([]);
});
