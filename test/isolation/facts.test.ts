import { expect, test } from '@jest/globals';
import { FACT_BUGS } from './fact-operations.ts';
import { KNOWN_SEEDS } from './known-seeds.ts';
import { runOperations, violationIn } from './run-operations.ts';

test('nobody reads the facts of another person, and what was learned in private stays in direct messages', async () => {
  const { operations, violations, error } = await runOperations(1, 120, undefined, 'facts');
  expect(error).toBeUndefined();
  expect(violations).toEqual([]);
  expect(operations).toBe(120);
});

test.each(FACT_BUGS.map((bug) => [bug.name, bug] as const))(
  'the known seed of a seeded bug still shows it: %s',
  async (name, bug) => {
    const { seed, finding } = KNOWN_SEEDS[name] ?? { seed: 0, finding: 'a known seed' };
    expect(await violationIn(seed, bug, 'facts')).toContain(finding);
  },
);
