import { describe, expect, test } from '@jest/globals';
import { formatDollars, formatDuration, parseDuration } from '../../../../infra/parley/output/format.ts';
import { formatTable } from '../../../../infra/parley/output/table.ts';

const COLUMNS = [
  { title: 'Name', cell: (row: readonly string[]) => row[0] ?? '' },
  { title: 'Count', cell: (row: readonly string[]) => row[1] ?? '', isNumber: true },
];

describe('a table', () => {
  test('aligns text left and numbers right, without trailing spaces', () => {
    expect(
      formatTable(
        [
          ['ada', '7'],
          ['grace', '12'],
        ],
        COLUMNS,
        undefined,
      ),
    ).toEqual(['Name   Count', 'ada        7', 'grace     12']);
  });

  test('fits a narrow terminal by cutting the widest column, and never the others first', () => {
    const lines = formatTable([['a'.repeat(60), '123456']], COLUMNS, 30);
    expect(lines[1]).toBe(`${'a'.repeat(21)}…  123456`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(30);
  });

  test('never cuts what people copy', () => {
    const columns = [{ title: 'Id', cell: () => '1795800678.443000', isWhole: true }, ...COLUMNS];
    expect(formatTable([['a'.repeat(30), '1']], columns, 40)[1]).toBe(
      `1795800678.443000  ${'a'.repeat(13)}…      1`,
    );
  });

  test('on a terminal of almost no width keeps some characters of each column', () => {
    expect(formatTable([['abcdefghij', '1234567890']], COLUMNS, 3)[1]).toBe('abcde…  12345…');
  });

  test('shows control characters and escape sequences of others as spaces or not at all', () => {
    expect(formatTable([['\u001B[31mred\u001B[0m\nnext\u0007\u202Eevil', '']], COLUMNS, undefined)[1]).toBe(
      'red next evil',
    );
  });
});

test.each([
  [340, '340 ms'],
  [59_990, '59.9 s'],
  [250_000, '4 min 10 s'],
  [7_200_000, '2 h'],
  [180_000_000, '2 d 2 h'],
  [undefined, '-'],
])('a duration of %s ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('an unknown cost is a hyphen', () => {
  expect(formatDollars(undefined)).toBe('-');
});

test.each([
  ['90s', 90_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['7', undefined],
  ['-1h', undefined],
  ['1w', undefined],
])('the duration %s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});
