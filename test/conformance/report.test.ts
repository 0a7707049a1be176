import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CHANGES, rowSuites, toMutant } from './mutants.ts';
import { PRODUCT } from './product.ts';
import { document, missingOnClient, outcomesOf, summary } from './report.ts';
import { row, ROWS } from './rows.ts';

const passing = ROWS.filter(({ notApplicable }) => notApplicable === undefined).map(({ id }) => ({
  title: row(id),
  status: 'passed',
}));
const reportOf = (assertionResults: readonly object[], ...more: readonly object[]): string =>
  JSON.stringify({
    testResults: [{ name: 'test/conformance/a.test.ts', message: '', assertionResults }, ...more],
  });
const ran = (id: string, kind: string): string => JSON.stringify({ test: `a group ${row(id)}`, kind });

test('the report accounts for all rows when each test passes', () => {
  const { rows, others } = outcomesOf(reportOf(passing));
  expect(others).toEqual([]);
  expect(summary(rows)[0]).toMatch(/^345 of 345 rows accounted for: \d+ pass(?:, \d+ not applicable)?$/u);
});

test('the report shows a row without a test, with a failed test, or with a skipped test', () => {
  const [, second, third, ...rest] = passing;
  const results = [{ ...second, status: 'failed' }, { ...third, status: 'pending' }, ...rest];
  const { rows } = outcomesOf(reportOf(results));
  expect(rows.slice(0, 4).map(({ outcome }) => outcome)).toEqual(['no test', 'fail', 'fail', 'pass']);
  expect(summary(rows)[0]).toMatch(/^344 of 345 .*1 no test, 2 fail/u);
  expect(document(rows)).toMatch(/\| GEN-002 \|.* \*\*fail\*\* \|/u);
});

test('the report shows failed tests without a row, and files that do not run', () => {
  const failed = { title: 'something else', status: 'failed' };
  const broken = { name: 'test/conformance/broken.test.ts', message: 'SyntaxError', assertionResults: [] };
  const elsewhere = { name: 'test/utils/b.test.ts', message: '', assertionResults: [failed] };
  expect(outcomesOf(reportOf([...passing, failed], broken, elsewhere)).others).toEqual([
    'something else',
    'test/conformance/broken.test.ts',
  ]);
});

test('a row whose test runs only the simulator does not count for the client', () => {
  const evidence = [
    ran('GEN-001', 'simulator'),
    ran('GEN-002', 'client on simulator'),
    ran('GEN-003', 'bytes'),
    ran('GEN-004', 'bytes'),
    ran('GEN-004', 'framed bytes'),
    ran('GEN-005', 'simulator'),
  ].join('\n');
  const { rows } = outcomesOf(reportOf(passing), evidence);
  const missing = missingOnClient(rows).map(({ row: { id } }) => id);
  expect(missing).toContain('GEN-001');
  for (const id of ['GEN-002', 'GEN-003', 'GEN-004', 'GEN-005']) expect(missing).not.toContain(id);
  const lines = document(rows).split('\n');
  const cells = ['GEN-001', 'GEN-002', 'GEN-003', 'GEN-004', 'GEN-005'].map((id) =>
    lines
      .find((line) => line.startsWith(`| ${id} `))
      ?.split(' | ')
      .slice(2, 4),
  );
  expect(cells).toEqual([
    ['**not shown**', 'shown'],
    ['simulator', 'shown'],
    ['bytes', '**not shown**'],
    ['bytes, all framings', '—'],
    ['—', 'shown'],
  ]);
});

test('each product use names an existing row and journey', () => {
  const ids = new Set(ROWS.map(({ id }) => id));
  const documented = [...Object.keys(PRODUCT.used), ...Object.keys(PRODUCT.reasons), ...PRODUCT.features];
  expect(documented.filter((id) => !ids.has(id))).toEqual([]);
  const journeys = Object.values(PRODUCT.used).flat();
  expect(journeys.filter((name) => PRODUCT.journeys[name] === undefined)).toEqual([]);
  const folder = join(import.meta.dirname, '..', 'journeys');
  const files = Object.values(PRODUCT.journeys).map(({ file }) => file);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
});

test('each change of the client applies exactly once to existing code', async () => {
  const mutants = await Promise.all(CHANGES.map(toMutant));
  const stale = CHANGES.filter((_, at) => mutants[at] === undefined).map(({ name }) => name);
  expect(stale).toEqual([]);
  expect(CHANGES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(CHANGES.map(({ name }) => name)).size).toBe(CHANGES.length);
  const suites = await rowSuites();
  const unknown = CHANGES.filter(
    ({ first }) => first !== undefined && !suites.includes(`test/conformance/${first}.test.ts`),
  );
  expect(unknown).toEqual([]);
});
