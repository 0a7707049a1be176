import { expect, test } from '@jest/globals';
import { truncateText } from '../../shared/utils/truncate-text.ts';

test.each([
  ['', 1, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['abcd', 1, '…'],
  ['ab👍', 4, 'ab👍'],
  ['ab👍d', 4, 'ab…'],
  ['ab👩‍👩‍👧d', 8, 'ab…'],
  ['cafe\u0301s', 5, 'caf…'],
])('%j in %d units is %j', (text, maxLength, expected) => {
  expect(truncateText(text, maxLength)).toBe(expected);
  expect(truncateText(text, maxLength).length).toBeLessThanOrEqual(maxLength);
});
