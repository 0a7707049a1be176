import { expect, test } from '@jest/globals';
import { toVisibleLine, toVisibleText } from '../../shared/utils/index.ts';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a\u200Bb\u{E0041}c\u202Ed', 9, 'abcd'],
  ['می\u200Cخواهم', 9, 'می\u200Cخواهم'],
  ['ab👍', 4, 'ab👍'],
  ['ab👍d', 4, 'ab…'],
  ['a👍d', 3, 'a…'],
  ['\u200B\u200B\u200Ba👍', 2, 'a'],
  ['a\uD83Db', 4, 'a\uFFFDb'],
])('%j is shown in %d units as %j', (text, maxLength, expected) => {
  expect(toVisibleText(text, maxLength)).toBe(expected);
});

test('a line has no line breaks', () => {
  expect(toVisibleLine(' a\n b\u200B ', 9)).toBe('a b');
});
