import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { isTooOld, JOB_LIMIT_MS, nextPoll } from '../../shared/jobs/index.ts';

const MINUTE = 60_000;

test('a job is asked about at 30 s, 1, 2, 4, 8, 15, 30 minutes, then every 30, for 6 hours', () => {
  const minutes: number[] = [];
  for (let now = 0; !isTooOld(0, now); now = nextPoll(0, now)) minutes.push(now / MINUTE);
  const halfHours = Array.from({ length: 10 }, (_, i) => 60 + i * 30);
  expect(minutes).toEqual([0, 0.5, 1, 2, 4, 8, 15, 30, ...halfHours]);
  expect(nextPoll(0, 330 * MINUTE)).toBe(JOB_LIMIT_MS);
});

test('the next moment always lies ahead, by half an hour at most', () => {
  fc.assert(
    fc.property(fc.nat(2e9), fc.nat(1e8), (submitted, age) => {
      const now = submitted + age;
      const next = nextPoll(submitted, now);
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(30 * MINUTE);
    }),
  );
});

test('a shorter limit is kept to; a clock that went back does no harm', () => {
  expect(nextPoll(0, 5 * MINUTE, 6 * MINUTE)).toBe(6 * MINUTE);
  expect(nextPoll(1_000, 0)).toBe(31_000);
});
