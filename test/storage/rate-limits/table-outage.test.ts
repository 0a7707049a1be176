import { expect, test } from '@jest/globals';
import { CHAT_LIMIT } from '../../../shared/rate-limits/index.ts';
import { TokenBuckets, type Dynamo, KeyRateLimiter } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const T0 = 1_700_000_000_000;
const ADA = { priority: 'person', person: 'ada', maxWaitMs: 60_000 } as const;
const failRequest = (): Promise<never> => Promise.reject(new Error('gone'));

test('without the table, people get few permits and others get none', async () => {
  let now = T0;
  const results: boolean[] = [];
  const dynamo = { ...createMemoryDynamo(), update: failRequest, get: failRequest };
  const permits = new KeyRateLimiter({
    buckets: new TokenBuckets(dynamo, 'tokens', () => now),
    random: () => 0.5,
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve(['a']),
    now: () => now,
    onTableUnavailable: (granted) => results.push(granted),
  });
  expect(await permits.take({ ...ADA, priority: 'background' })).toMatchObject({ kind: 'refused' });
  expect(await permits.take(ADA)).toMatchObject({ kind: 'granted' });
  expect(await permits.take(ADA)).toEqual({ kind: 'refused', retryAfterMs: 1_000 });
  now += 10_000;
  expect(await permits.take(ADA)).toMatchObject({ kind: 'granted' });
  expect(results).toEqual([false, true, false, true]);
});

test('a request that the table did not answer in time asks it again soon, and later the longer the table fails', async () => {
  let now = T0;
  let isFailing = true;
  const memory = createMemoryDynamo();
  const dynamo: Dynamo = {
    ...memory,
    update: (input) => (isFailing ? failRequest() : memory.update(input)),
    get: (input) => (isFailing ? failRequest() : memory.get(input)),
  };
  let random = 0;
  const permits = new KeyRateLimiter({
    buckets: new TokenBuckets(dynamo, 'tokens', () => now),
    random: () => random,
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve(['a']),
    now: () => now,
  });
  const waitMs = async (at: number): Promise<number> => {
    now = T0 + at;
    const decision = await permits.take(ADA);
    return decision.kind === 'refused' ? decision.retryAfterMs : 0;
  };
  // The first is sent without the table, and no other one for ten seconds, however often they ask.
  expect([await waitMs(0), await waitMs(0)]).toEqual([0, 500]);
  random = 0.999;
  // Those that failed together come back apart.
  expect(Math.round(await waitMs(0))).toBe(1_499);
  random = 0.5;
  expect([await waitMs(1_000), await waitMs(3_000), await waitMs(7_000)]).toEqual([2_000, 4_000, 3_000]);
  expect([await waitMs(9_999), await waitMs(10_000), await waitMs(10_000)]).toEqual([1_000, 0, 10_000]);
  isFailing = false;
  expect(await waitMs(11_000)).toBe(0);
  isFailing = true;
  expect(await waitMs(12_000)).toBe(1_000);
  // A permit that was free, as it usually is, ends the outage too.
  isFailing = false;
  now = T0 + 14_000;
  expect(await permits.takeFree({ ...ADA, person: 'grace' })).toBeDefined();
  isFailing = true;
  expect(await waitMs(15_000)).toBe(1_000);
});

test('a clock that steps back during an outage does not make a request ask the table without a pause', async () => {
  let now = T0;
  const dynamo = { ...createMemoryDynamo(), update: failRequest, get: failRequest };
  const permits = new KeyRateLimiter({
    buckets: new TokenBuckets(dynamo, 'tokens', () => now),
    random: () => 0,
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve(['a']),
    now: () => now,
  });
  expect(await permits.take(ADA)).toMatchObject({ kind: 'granted' });
  now -= 5_000;
  expect(await permits.take(ADA)).toEqual({ kind: 'refused', retryAfterMs: 500 });
});
