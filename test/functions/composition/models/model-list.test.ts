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
      list: async ({ deadline = Infinity } = {}) => {
        requests += 1;
        if (served === undefined) {
          time.advance(deadline - time.now());
          throw new Error('no response');
        }
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

test('while the list cannot be fetched, the last one is used, and calls hardly wait for ten seconds; one that has arrived counts', async () => {
  const { list, serve, time } = harness();
  serve([model('a')]);
  expect(await list()).toEqual(['a']);
  serve(undefined);
  const before = time.now();
  for (let call = 0; call < 6; call += 1) expect(await list()).toEqual(['a']);
  expect(time.now() - before).toBe(3_000 + 5 * 50);
  serve([model('b')]);
  expect(await list()).toEqual(['b']);
});

test('ten seconds after a failure a call waits for the list again, also if the clock was set back', async () => {
  const { list, time } = harness();
  expect([await list(), await list()]).toEqual([[], []]);
  time.advance(-3_600_000);
  const before = time.now();
  expect(await list()).toEqual([]);
  expect(time.now() - before).toBe(3_000);
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
