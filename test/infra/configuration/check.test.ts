import { expect, test } from '@jest/globals';
import { linesOf, notPassed, type Check } from '../../../infra/configuration/index.ts';

const FIX = 'Add the scope.';
const CHECKS: readonly Check[] = [
  { name: 'A', result: 'pass', found: 'is right.' },
  { name: 'B', result: 'fail', found: 'is wrong.', fix: 'Right it.' },
  { name: 'C', result: 'warn', found: 'lacks one.', fix: FIX },
  { name: 'C', result: 'warn', found: 'lacks another.', fix: FIX },
];

test('each check is told with what was found, and what is to do once', () => {
  expect(linesOf(notPassed(CHECKS))).toEqual([
    '  FAIL  B: is wrong.',
    '        Right it.',
    '  WARN  C: lacks one.',
    '  WARN  C: lacks another.',
    '        Add the scope.',
  ]);
});
