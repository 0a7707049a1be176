import { expect, test } from '@jest/globals';
import { FACT_BUGS } from './fact-operations.ts';
import { findSeedFor, runOperations } from './run-operations.ts';

test('nobody reads the facts of another person, and what was learned in private stays in direct messages', async () => {
  const { operations, violations, error } = await runOperations(1, 120, undefined, 'facts');
  expect(error).toBeUndefined();
  expect(violations).toEqual([]);
  expect(operations).toBe(120);
});

test.each(FACT_BUGS.map((bug) => [bug.name, bug] as const))(
  'the run detects the seeded bug: %s',
  async (_, bug) => {
    expect(await findSeedFor(bug, 'facts')).toBeDefined();
  },
);
