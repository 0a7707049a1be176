import { describe, expect, test } from '@jest/globals';
import { KNOWN_SEEDS } from '../known-seeds.ts';
import { runOperations, type Subject, SUBJECTS, violationIn } from '../run-operations.ts';

const OPERATIONS = 80;

// `everything` has a test of its own.
const FEATURES = (
  ['facts', 'tools', 'api', 'knowledge', 'schedules', 'message-search'] as const satisfies readonly Subject[]
).map((subject) => [subject, SUBJECTS[subject].bugs] as const);

describe.each(FEATURES)('%s', (subject, bugs) => {
  test('random operations cause no forbidden read or change', async () => {
    const { operations, violations, error } = await runOperations(1, OPERATIONS, undefined, subject);
    expect(error).toBeUndefined();
    expect(violations).toEqual([]);
    expect(operations).toBe(OPERATIONS);
  });

  test.each(bugs.map((bug) => [bug.name, bug] as const))(
    'the known seed of a seeded bug still shows it: %s',
    async (name, bug) => {
      const { seed, finding } = KNOWN_SEEDS[name] ?? { seed: 0, finding: 'a known seed' };
      expect(await violationIn(seed, bug, subject)).toContain(finding);
    },
  );
});
