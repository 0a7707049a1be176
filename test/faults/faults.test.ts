import { describe, expect, test } from '@jest/globals';
import { exhaust, ONE_QUESTION, replay, THREE_QUESTIONS, THREE_THREADS, wander } from './explore.ts';
import { faultsOf } from './check.ts';
import { MUTANTS } from './mutants.ts';

const MINUTE = 60_000;

describe('whatever goes wrong, a message ends in one answer or one visible error', () => {
  test(
    'every single fault, and every thirteenth pair of faults',
    async () => {
      const { runs, findings } = await exhaust({ questions: ONE_QUESTION }, { depth: 2, share: 13 });
      expect(findings.slice(0, 2)).toEqual([]);
      expect(runs).toBeGreaterThan(500);
    },
    2 * MINUTE,
  );

  test.each(['message', 'invocation'] as const)(
    'random orders and faults for three messages in one thread; what frees a thread is the end of the %s',
    async (groupLock) => {
      const seeds = Array.from({ length: 200 }, (_, i) => i + 1);
      const { faults, findings } = await wander({ questions: THREE_QUESTIONS, groupLock }, seeds);
      expect(findings.slice(0, 2)).toEqual([]);
      expect(faults).toBeGreaterThan(200);
    },
    2 * MINUTE,
  );

  test.each(['message', 'invocation'] as const)(
    'random orders and faults for five messages in three threads, which share workers; what frees a thread is the end of the %s',
    async (groupLock) => {
      const seeds = Array.from({ length: 150 }, (_, i) => i + 1);
      const { findings } = await wander({ questions: THREE_THREADS, acts: [], groupLock }, seeds);
      expect(findings.slice(0, 2)).toEqual([]);
    },
    2 * MINUTE,
  );

  test(
    'random faults where questions wait for the limit of the models and go back to the queue',
    async () => {
      const seeds = Array.from({ length: 110 }, (_, i) => i + 1);
      const limit = { perMinute: 3, burst: 1 };
      const { findings } = await wander({ questions: THREE_THREADS, acts: [], limit }, seeds);
      expect(findings.slice(0, 2)).toEqual([]);
    },
    2 * MINUTE,
  );
});

test.each(MUTANTS)(
  'the simulation notices the seeded bug: %s',
  async (mutant) => {
    const { findings } = await exhaust({ questions: ONE_QUESTION, mutant }, { depth: 2, enough: 1 });
    expect(findings).toHaveLength(1);
    // A bug that shows without a fault shows nothing of the protocol.
    expect(findings[0]?.replay).not.toBe('strikes:');
    const again = await replay({ questions: ONE_QUESTION, mutant }, findings[0]?.replay ?? '');
    expect(faultsOf(again)).toEqual(findings[0]?.wrong);
  },
  MINUTE,
);
