import { expect, test } from '@jest/globals';
import { runSuites } from './run-suites.ts';

const SUITES = [{ suite: 'test/utils/parse-json.test.ts', ms: 1_000 }];
const PATH = 'shared/utils/parse-json.ts';
const REST = 'export const isRecord = () => true;';

test('suites pass without a change', async () => {
  expect(await runSuites(SUITES)).toMatchObject({ end: 'passed' });
});

test('a suite that fails with a change is named', async () => {
  const text = `export const parseJson = () => 7; ${REST}`;
  const result = await runSuites(SUITES, { path: PATH, text });
  expect(result).toMatchObject({ end: 'failed', suite: SUITES[0]?.suite });
});

test('a change that ends the process is told from a failed test', async () => {
  const text = `export const parseJson = () => process.reallyExit(1); ${REST}`;
  expect(await runSuites(SUITES, { path: PATH, text })).toMatchObject({ end: 'crashed' });
});
