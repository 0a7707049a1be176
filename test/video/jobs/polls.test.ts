import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { isTooOld, JOB_LIMIT_MS, nextPoll } from '../../../shared/video/jobs/index.ts';

const MINUTE = 60_000;

/** The numbers from `first` to `last` with this step. */
const steps = (first: number, last: number, every: number): number[] =>
  Array.from({ length: (last - first) / every + 1 }, (_, i) => first + i * every);

test('a job is polled after 5 s, every minute for half an hour, every 5 minutes until two hours have passed, then every 15 minutes until six hours have', () => {
  const minutes: number[] = [];
  for (let now = 0; !isTooOld(0, now); now = nextPoll(0, now)) minutes.push(now / MINUTE);
  expect(minutes).toEqual([0, 5 / 60, ...steps(1, 30, 1), ...steps(35, 120, 5), ...steps(135, 345, 15)]);
  expect(nextPoll(0, 345 * MINUTE)).toBe(JOB_LIMIT_MS);
});

test('the next poll is always in the future, at most 15 minutes ahead', () => {
  fc.assert(
    fc.property(fc.nat(2e9), fc.nat(1e8), (submitted, age) => {
      const now = submitted + age;
      const next = nextPoll(submitted, now);
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(15 * MINUTE);
    }),
  );
});

test('a shorter limit applies; a clock that goes back does no harm', () => {
  expect(nextPoll(0, 5.5 * MINUTE, 5.7 * MINUTE)).toBe(5.7 * MINUTE);
  expect(nextPoll(1_000, 0)).toBe(6_000);
});
