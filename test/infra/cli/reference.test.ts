import { expect, test } from '@jest/globals';
import { listContextOptions, listSettings, listVariables } from '../../../infra/cli/reference/tables.ts';
import { isOutdated, updateReference } from '../../../infra/cli/reference/write-reference.ts';

const table = (...cells: string[]) => ({ numbers: () => ({ head: ['Name'], rows: [cells] }) });
const page = updateReference(
  'Before.\n<!-- Made by `npm run reference`: numbers. -->\n\n<!-- Until here: numbers. -->\nAfter.\n',
  table('one'),
);

test('a table is written at its place, and again without effect', () => {
  expect(page).toContain('Before.');
  expect(page).toContain('| Name |\n| --- |\n| one |');
  expect(page).toContain('After.');
  expect(updateReference(page, table('one'))).toBe(page);
});

test('a document is out of date when a cell differs, not when the formatter has widened columns', () => {
  expect(isOutdated(page, page.replace('| Name |\n| --- |', '| Name   |\n| ------ |'))).toBe(false);
  expect(isOutdated(page, updateReference(page, table('two')))).toBe(true);
});

test('a document without a place for its table is an error', () => {
  expect(() => updateReference('Nothing.', table('one'))).toThrow(/no place for the table: numbers/);
});

const row = (rows: readonly (readonly string[])[], name: string) =>
  rows.find(([first]) => first === `\`${name}\``)?.slice(1);

test('tables tell values, defaults and levels as the code has them', () => {
  expect(row(listSettings().rows, 'retentionDays')?.slice(0, 6)).toEqual([
    'no',
    'yes',
    'no',
    'yes',
    'yes',
    '1 to 365',
  ]);
  expect(row(listSettings().rows, 'stop')?.[5]).toBe('a list, at most 4');
  expect(row(listContextOptions().rows, 'apiRate')?.slice(1)).toEqual(['10 to 10,000', '`100`']);
  expect(row(listVariables().rows, 'HISTORY_DAYS')).toEqual([
    '`HistoryDays`',
    'Days until a turn expires.',
    'a number of days',
    '`30`',
  ]);
  expect(row(listVariables().rows, 'UPSTREAM_API_KEY')?.[0]).toBe('secret `UpstreamSecret`');
});
