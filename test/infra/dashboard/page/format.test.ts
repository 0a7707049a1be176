import { expect, test } from '@jest/globals';
import { formatDollars, formatDuration, formatLeft } from '../../../../infra/dashboard/page/format.js';

test.each([
  [undefined, '–'],
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [7_800_000, '2 h 10 min'],
])('%p ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('an unknown cost is a dash', () => {
  expect(formatDollars(undefined)).toBe('–');
});

test.each([
  [0, '0:00'],
  [-5, '0:00'],
  [1, '0:01'],
  [119_001, '2:00'],
])('%p ms left are %s', (ms, text) => {
  expect(formatLeft(ms)).toBe(text);
});
