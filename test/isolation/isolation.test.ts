import { expect, test } from '@jest/globals';
import { caughtBy, OPERATIONS_PER_WORLD, play } from './explore.ts';
import { MUTANTS } from './mutants.ts';

/** The share that each run plays: others than the last time would make failures come and go. */
const SEEDS = [1, 2, 3, 4];
const MINUTE = 60_000;

test.each(SEEDS)(
  'nobody reads or changes what is not theirs: world %i',
  async (seed) => {
    const { operations, checks, violations } = await play(seed);
    expect(violations).toEqual([]);
    expect(operations).toBe(OPERATIONS_PER_WORLD);
    expect(checks).toBeGreaterThan(2_000);
  },
  MINUTE,
);

test.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
  'a seeded bug is noticed: %s',
  async (_, mutant) => {
    expect(await caughtBy(mutant)).toBeDefined();
  },
  MINUTE,
);
