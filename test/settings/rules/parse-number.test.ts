import { expect, test } from '@jest/globals';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { parseNumber } from '../../../shared/settings/rules/index.ts';

test.each([
  ['0.5', 0.5],
  ['0,5', 0.5],
  ['0,125', 0.125],
  ['1234,567', 1234.567],
  ['１，５', 1.5],
  [' -3 ', -3],
  ['1 000', 1_000],
  ['1’234.5', 1_234.5],
  ['12,345,678', 12_345_678],
  ['1.234,567', 1_234.567],
])('the number %j is %d', (text, expected) => {
  expect([parseNumber(text), parseNumber(text, true)]).toEqual([expected, expected]);
});

test.each(['1,000', '32.000', '+4,096', '-1.250'])(
  '%j is not clear, unless there can be no decimals',
  (text) => {
    expect(parseNumber(text)).toBeNaN();
    expect(parseNumber(text, true)).toBe(Number(text.replaceAll(/[.,]/gu, '')));
  },
);

test.each([
  ['1.125', 1.125],
  ['1,000', 1],
  ['-1.250', -1.25],
])('%j is %d where a thousand is too great', (text, expected) => {
  expect(parseNumber(text, false, 2)).toBe(expected);
  expect(parseNumber(text, false, 1_000)).toBeNaN();
});

test.each(['', 'two', '1,234,50', '2.50,5', '1.234,567.5', '1,23,456', '0x2', '1e3', '٢', '1'.repeat(16)])(
  '%j is no number',
  (text) => {
    expect([parseNumber(text), parseNumber(text, true)]).toEqual([Number.NaN, Number.NaN]);
  },
);

test.each(LOCALES)('what %s writes for numbers is parsed', (locale) => {
  for (const number of [0.5, 12, 1_234.5, 12_345_678.25])
    expect(parseNumber(number.toLocaleString(locale))).toBe(number);
});
