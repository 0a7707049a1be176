import { expect, test } from '@jest/globals';
import { document, outcomesOf, summary } from './report.ts';
import { row, ROWS } from './rows.ts';

const passing = ROWS.filter(({ notApplicable }) => notApplicable === undefined).map(({ id }) => ({
  title: row(id),
  status: 'passed',
}));
const reportOf = (assertionResults: readonly object[], ...more: readonly object[]): string =>
  JSON.stringify({ testResults: [{ name: 'a.test.ts', message: '', assertionResults }, ...more] });

test('all rows are accounted for when each test passes', () => {
  const { rows, others } = outcomesOf(reportOf(passing));
  expect(others).toEqual([]);
  expect(summary(rows)).toMatch(/^345 of 345 rows accounted for: \d+ pass(?:, \d+ not applicable)?$/u);
  expect(document(rows)).toContain('| GEN-001 | both | pass |');
});

test('a row without a test, with a failed one, or with one passed over is seen', () => {
  const [, second, third, ...rest] = passing;
  const results = [{ ...second, status: 'failed' }, { ...third, status: 'pending' }, ...rest];
  const { rows } = outcomesOf(reportOf(results));
  expect(rows.slice(0, 4).map(({ outcome }) => outcome)).toEqual(['no test', 'fail', 'fail', 'pass']);
  expect(summary(rows)).toMatch(/^344 of 345 .* 2 fail, .*1 no test$/u);
});

test('a failure beside the rows, and a file that does not run, are told', () => {
  const failed = { title: 'something else', status: 'failed' };
  const broken = { name: 'broken.test.ts', message: 'SyntaxError', assertionResults: [] };
  expect(outcomesOf(reportOf([...passing, failed], broken)).others).toEqual([
    'something else',
    'broken.test.ts',
  ]);
});
