import { describe, expect, test } from '@jest/globals';
import { CHAT_LIMIT } from '../../shared/rate-limits/index.ts';
import { TokenBuckets, KeyRateLimiter } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';

const T0 = 1_700_000_000_000;
const PK = 'KEY#key#chat';
/** The number of requests that a burst permits at once: the guard withholds two. */
const FREE = 28;

function harness() {
  let now = T0;
  const dynamo = createMemoryDynamo();
  const calls = { reads: 0, writes: 0 };
  const counted = {
    ...dynamo,
    get: (...input: Parameters<typeof dynamo.get>) => ((calls.reads += 1), dynamo.get(...input)),
    update: (...input: Parameters<typeof dynamo.update>) => ((calls.writes += 1), dynamo.update(...input)),
  };
  const random = createSeededRandom(1);
  const make = (): KeyRateLimiter =>
    new KeyRateLimiter({
      buckets: new TokenBuckets(counted, 'tokens', () => now),
      random,
      family: 'chat',
      limit: CHAT_LIMIT,
      keys: () => Promise.resolve(['key']),
      now: () => now,
    });
  const item = async () =>
    (await dynamo.get({ TableName: 'tokens', Key: { pk: { S: PK } }, ConsistentRead: true })).Item ?? {};
  const sizeOf = async (): Promise<number> => JSON.stringify(await item()).length;
  return { dynamo, permits: make(), make, at: (ms: number) => (now = T0 + ms), calls, item, sizeOf };
}

const question = (person: string, requestedAtMs = T0) =>
  ({ priority: 'person', person, maxWaitMs: 60_000, requestedAtMs }) as const;

describe('the item of a key', () => {
  test('costs one write per question and no read while nobody waits, and remembers nothing for long', async () => {
    const { permits, at, calls, sizeOf } = harness();
    for (let n = 0; n < 300; n += 1) {
      at(n * 1_000);
      expect(await permits.take(question(`U${n}`, T0 + n * 1_000))).toMatchObject({ kind: 'granted' });
    }
    expect(calls).toEqual({ reads: 0, writes: 300 });
    // 60 questions per minute, each of another person: one write unit (1 KB) each.
    expect(await sizeOf()).toBeLessThan(1_024);
  });

  test('stays below 25 KB with many waiters, and then adds nobody', async () => {
    const { permits, make, item, sizeOf, calls } = harness();
    const kinds = new Map<string, number>();
    for (let n = 0; n < 2_000; n += 1) {
      // The process knows the first ones. A new process knows nothing yet.
      const { kind } = await (n % 20 === 0 ? make() : permits).take({ ...question(`U${n}`), maxWaitMs: 1e9 });
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(kinds).toEqual(
      new Map([
        ['granted', FREE],
        ['waiting', 300],
        ['refused', 2_000 - FREE - 300],
      ]),
    );
    expect((await item())['waiters']?.SS).toHaveLength(300);
    expect(await sizeOf()).toBeLessThan(25_000);
    // A refused request has read, and writes nothing where that would be in vain.
    expect(calls.writes).toBeLessThan(FREE + 300 + 2_000 / 20 + 10);
  });
});

test('an item of the previous version, with reserved permits, is continued: no request is sent too early', async () => {
  const { dynamo, permits, at, item } = harness();
  const aheadUs = 20e6;
  await dynamo.update({
    TableName: 'tokens',
    Key: { pk: { S: PK } },
    UpdateExpression: 'SET tat = :tat, putoff = :by, paused = :until, pausedby = :by, sharedtill = :until',
    ExpressionAttributeValues: {
      // Full, and reserved for 20 s more.
      ':tat': { N: String(T0 * 1000 + 27 * 505_000 + aheadUs) },
      ':by': { N: '1000000' },
      ':until': { N: String((T0 - 60_000) * 1000) },
    },
  });
  const decision = await permits.take(question('ada'));
  if (decision.kind !== 'waiting') throw new Error(decision.kind);
  expect(decision.waitMs).toBe(20_000);
  at(decision.waitMs - 600);
  expect(await permits.poll(decision.place)).toMatchObject({ kind: 'waiting' });
  at(decision.waitMs);
  expect(await permits.poll(decision.place)).toMatchObject({ kind: 'granted' });
  expect((await item())['waiters']).toBeUndefined();
});
