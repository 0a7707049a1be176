import { expect, test } from '@jest/globals';
import { createModelList } from '../../../../functions/composition/models/chat-model.ts';
import type { Model } from '../../../../shared/upstream/index.ts';
import { TestTime } from '../../../upstream/time.ts';

const CONFIG = { upstreamVisionUrl: undefined, upstreamShape: 'current' } as const;
const model = (id: string): Model => ({ id, ready: true });

/** A list whose server responds with `served`, or fails while that is undefined. */
function harness(report?: () => Promise<void>) {
  const time = new TestTime();
  let served: readonly Model[] | undefined;
  let requests = 0;
  const upstream = {
    models: {
      list: async () => {
        requests += 1;
        // The deadline of the request.
        if (served === undefined) time.advance(3_000);
        if (served === undefined) throw new Error('no response');
        return { models: served, fetchedAt: time.now() };
      },
    },
  };
  const reported: string[][] = [];
  const list = createModelList(
    upstream,
    { models: { take: () => Promise.reject(new Error('not asked')) } },
    CONFIG,
    (models) => {
      reported.push(models.map(({ id }) => id));
      return report?.() ?? Promise.resolve();
    },
    time.now,
  );
  return {
    list: async () => (await list()).map(({ id }) => id),
    serve: (models: readonly Model[] | undefined) => void (served = models),
    time,
    reported,
    requests: () => requests,
  };
}

test('while the list cannot be fetched, the last one is used, and one call in ten seconds waits for a new one', async () => {
  const { list, serve, time, requests } = harness();
  serve([model('a')]);
  expect(await list()).toEqual(['a']);
  serve(undefined);
  const before = time.now();
  for (let call = 0; call < 6; call += 1) expect(await list()).toEqual(['a']);
  expect(time.now() - before).toBe(3_000);
  expect(requests()).toBe(2);
  serve([model('b')]);
  time.advance(10_000);
  expect(await list()).toEqual(['b']);
});

test('a list that was never fetched is empty, and is asked for again ten seconds later, also if the clock was set back', async () => {
  const { list, serve, time, requests } = harness();
  expect([await list(), await list()]).toEqual([[], []]);
  expect(requests()).toBe(1);
  serve([model('a')]);
  time.advance(-3_600_000);
  expect(await list()).toEqual(['a']);
});

test('a list is stored once, and again if that failed', async () => {
  let fails = true;
  const { list, serve, reported } = harness(async () => {
    if (fails) throw new Error('the table is slow');
  });
  serve([model('a')]);
  expect(await list()).toEqual(['a']);
  fails = false;
  expect([await list(), await list()]).toEqual([['a'], ['a']]);
  expect(reported).toEqual([['a'], ['a']]);
});
