import { expect, test } from '@jest/globals';
import { divideSchedules } from './divide-schedules.ts';

test('a story with four times the requests gets half the schedules', () => {
  const shares = divideSchedules(3_000, [
    { name: 'short', requests: 1 },
    { name: 'long', requests: 4 },
  ]);
  expect([...shares]).toEqual([
    ['short', 2_000],
    ['long', 1_000],
  ]);
});

test('the numbers sum to at least the total, also with a story without a request', () => {
  const stories = [0, 1, 7, 19, 200].map((requests) => ({ name: `of ${requests}`, requests }));
  const sum = [...divideSchedules(1_000, stories).values()].reduce((total, one) => total + one, 0);
  expect(sum).toBeGreaterThanOrEqual(1_000);
  expect(sum).toBeLessThan(1_000 + stories.length);
});
