import { expect, test } from '@jest/globals';
import { formatChecks, getNotPassed, type Check } from '../../../infra/configuration/index.ts';

const FIX = 'Add the scope.';
const CHECKS: readonly Check[] = [
  { name: 'A', result: 'pass', finding: 'is right.' },
  { name: 'B', result: 'fail', finding: 'is wrong.', fix: 'Right it.' },
  { name: 'C', result: 'warn', finding: 'lacks one.', fix: FIX },
  { name: 'C', result: 'warn', finding: 'lacks another.', fix: FIX },
];

test('each check prints what was found and what to do, once', () => {
  expect(formatChecks(getNotPassed(CHECKS))).toEqual([
    '  FAIL  B: is wrong.',
    '        Right it.',
    '  WARN  C: lacks one.',
    '  WARN  C: lacks another.',
    '        Add the scope.',
  ]);
});
