import { expect, test } from '@jest/globals';
import { findRetiredWords } from '../../infra/checks/names/retired-words.ts';

const declaring = (text: string) => [{ path: 'shared/chat/answer.ts', text }];

test.each([
  ['const patience = 1', 'patience is retired, use retry options'],
  ['function postWhisper() {}', 'postWhisper is retired, use ephemeral message'],
  ['type GuildShelf = string', 'GuildShelf is retired, use store'],
  ['function apologise() {}', 'apologise is retired, use postFailureNotice'],
  ['const MOST_FILES = 3', 'MOST_FILES names a bound'],
  ['class Stopped extends Error {}', 'the error class Stopped does not end in Error'],
])('%s fails the check', (text, problem) => {
  expect(findRetiredWords(declaring(text))).toEqual([expect.stringContaining(problem)]);
});

test.each([
  'const retryOptions = 1',
  'function shelfish() {}',
  'class StoppedError extends ClaimLostError {}',
  'const MAX_FILES = 3',
])('%s passes the check', (text) => {
  expect(findRetiredWords(declaring(text))).toEqual([]);
});
