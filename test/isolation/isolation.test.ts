import { expect, test } from '@jest/globals';
import { KNOWN_SEEDS } from './known-seeds.ts';
import { OPERATIONS_PER_RUN, runOperations, violationIn } from './run-operations.ts';
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

// If the seed no longer shows the bug, `npm run isolation -- --operations 0 --mutants` finds another one for known-seeds.ts.
test.each(SEEDED_BUGS.map((mutant) => [mutant.name, mutant] as const))(
  'the known seed of a seeded bug still shows it: %s',
  async (name, mutant) => {
    const { seed, finding } = KNOWN_SEEDS[name] ?? { seed: 0, finding: 'a known seed' };
    expect(await violationIn(seed, mutant)).toContain(finding);
  },
);
