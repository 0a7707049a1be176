import { expect, test } from '@jest/globals';
import { runWithTimeLimit } from './time-limit.ts';

test('work that takes longer than the limit is ended, also within one pattern', () => {
  expect(() => runWithTimeLimit(() => void /(?:a+)+b/u.test('a'.repeat(40)), 50)).toThrow('timed out');
  expect(() =>
    runWithTimeLimit(() => {
      for (;;);
    }, 50),
  ).toThrow('timed out');
});

test('what the work throws is thrown', () => {
  expect(() =>
    runWithTimeLimit(() => {
      throw new Error('failed');
    }),
  ).toThrow('failed');
});
