import { expect, test } from '@jest/globals';
import { createConcurrencyLimit } from '../../../../infra/local/functions/concurrency-limit.ts';

test('each key runs at most its limit at a time, in order of arrival, also after failures', async () => {
  const inTurn = createConcurrencyLimit(2);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const act = (key: string, name: string) =>
    inTurn(key, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (name === 'a1') throw new Error(name);
    });
  const all = Promise.allSettled([...['a1', 'a2', 'a3', 'a4'].map((name) => act('a', name)), act('b', 'b1')]);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  expect((await all).map(({ status }) => status)).toEqual([
    'rejected',
    ...Array.from({ length: 4 }, () => 'fulfilled'),
  ]);
});
