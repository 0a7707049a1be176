import { expect, test } from '@jest/globals';
import { backoffMs, retry } from '../../shared/utils/retry.ts';

test('an action is repeated after the delays of the rule until it succeeds', async () => {
  const sleeps: number[] = [];
  const result = await retry(
    async (attempt) => {
      if (attempt < 3) throw new Error(`attempt ${attempt}`);
      return attempt;
    },
    (_, attempt) => attempt * 10,
    async (ms) => void sleeps.push(ms),
  );
  expect(result).toBe(3);
  expect(sleeps).toEqual([10, 20]);
});

const failing = (attempt: number) => Promise.reject(new Error(`attempt ${attempt}`));
const noSleep = () => Promise.resolve();

test('an action rejects with its last error when the rule gives up', async () => {
  const result = retry(failing, (_, attempt) => (attempt < 2 ? 0 : undefined), noSleep);
  await expect(result).rejects.toThrow('attempt 2');
});

test('an action rejects with the error of the rule', async () => {
  const result = retry(
    failing,
    () => {
      throw new Error('no time is left');
    },
    noSleep,
  );
  await expect(result).rejects.toThrow('no time is left');
});

test('an action rejects with the error of the sleep', async () => {
  const result = retry(
    failing,
    () => 1,
    () => Promise.reject(new Error('stopped')),
  );
  await expect(result).rejects.toThrow('stopped');
});

test('the backoff doubles up to its maximum', () => {
  const limits = { firstMs: 250, maxMs: 8_000 };
  expect([1, 2, 3, 6, 7, 5_000].map((attempt) => backoffMs(attempt, limits))).toEqual([
    250, 500, 1_000, 8_000, 8_000, 8_000,
  ]);
});
