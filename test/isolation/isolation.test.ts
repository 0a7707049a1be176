import { expect, test } from '@jest/globals';
import { findSeedFor, OPERATIONS_PER_RUN, runOperations } from './run-operations.ts';
import { SEEDED_BUGS } from './seeded-bugs.ts';

/** Fixed seeds: changing ones would make failures come and go. */
const SEEDS = [1, 2, 3, 4];

test.each(SEEDS)('random operations cause no forbidden read or change: seed %i', async (seed) => {
  const { operations, checks, violations, error } = await runOperations(seed);
  expect(error).toBeUndefined();
  expect(violations).toEqual([]);
  expect(operations).toBe(OPERATIONS_PER_RUN);
  expect(checks).toBeGreaterThan(2_000);
});

test.each(SEEDED_BUGS.map((mutant) => [mutant.name, mutant] as const))(
  'the run detects the seeded bug: %s',
  async (_, mutant) => {
    expect(await findSeedFor(mutant)).toBeDefined();
  },
);
