import { expect, test } from '@jest/globals';
import { mapConcurrently } from '../../shared/utils/index.ts';

test('a few elements at a time, with the results in order', async () => {
  let [running, max] = [0, 0];
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (one) => {
    running += 1;
    max = Math.max(max, running);
    for (let tick = 0; tick < one; tick += 1) await Promise.resolve();
    running -= 1;
    return one * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(max).toBe(2);
});

test('rejects with the error of an element, and begins no more', async () => {
  const started: number[] = [];
  const work = mapConcurrently([1, 2, 3], 2, async (one) => {
    started.push(one);
    if (one === 2) throw new Error('failed');
  });
  await expect(work).rejects.toThrow('failed');
  expect(started).toEqual([1, 2]);
});
