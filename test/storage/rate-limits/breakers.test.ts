import { describe, expect, test } from '@jest/globals';
import { Breakers } from '../../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../../fakes/dynamo.ts';

const T0 = 1_700_000_000_000;

const failRequest = () => Promise.reject(new Error('gone'));

/** Two processes that share a table and a clock. */
function harness(dynamo: MemoryDynamo = createMemoryDynamo()) {
  let now = T0;
  let reads = 0;
  const counted = {
    ...dynamo,
    get: (input: Parameters<MemoryDynamo['get']>[0]) => {
      reads += 1;
      return dynamo.get(input);
    },
  };
  const make = () => new Breakers({ dynamo: counted, table: 'tokens', now: () => now, random: () => 0 });
  return { one: make(), two: make(), pass: (ms: number) => void (now += ms), reads: () => reads };
}

describe('a model at capacity', () => {
  test('gets no requests from processes that know of it until its retry time', async () => {
    const { one, two, pass } = harness();
    await one.recordFailure('a', 5_000);
    expect(await one.waitMs('a')).toBe(5_000);
    expect(await one.enter('a')).toBe(5_000);
    expect(await one.enter('b')).toBe(0);
    // A process that does not know it asks the model, and learns it.
    expect(await two.enter('a')).toBe(0);
    await two.recordFailure('a', 5_000);
    pass(2_000);
    expect(await two.enter('a')).toBe(3_000);
  });

  test('gets one probe, and all requests as soon as the probe succeeds', async () => {
    const { one, two, pass } = harness();
    await one.recordFailure('a', 5_000);
    await two.recordFailure('a', 5_000);
    pass(5_000);
    expect(await one.enter('a')).toBe(0);
    expect(await two.enter('a')).toBeGreaterThan(0);
    await one.recordSuccess('a');
    pass(200);
    expect(await two.waitMs('a')).toBe(0);
    expect([await one.enter('a'), await two.enter('a'), await two.enter('a')]).toEqual([0, 0, 0]);
  });

  test('without a retry time is tried again within two seconds, however often it failed', async () => {
    const { one, pass } = harness();
    for (let n = 0; n < 20; n += 1) {
      await one.recordFailure('a');
      const wait = await one.waitMs('a');
      expect(wait).toBeGreaterThanOrEqual(500);
      expect(wait).toBeLessThanOrEqual(2_000);
      pass(wait);
      expect(await one.enter('a')).toBe(0);
    }
  });

  test('gets another probe: immediately after one without a result, after five seconds if its process crashed', async () => {
    const { one, two, pass } = harness();
    await one.recordFailure('a', 1_000);
    await two.recordFailure('a', 1_000);
    pass(1_000);
    expect(await one.enter('a')).toBe(0);
    await one.recordNoResult('a');
    expect(await two.enter('a')).toBe(0);
    await one.recordNoResult('a');
    expect(await one.enter('a')).toBeGreaterThan(0);
    pass(4_999);
    expect(await one.enter('a')).toBeGreaterThan(0);
    pass(1);
    expect(await one.enter('a')).toBe(0);
  });

  test('is available after any success, also of a request from before the failure', async () => {
    const { one } = harness();
    await one.recordFailure('a', 60_000);
    await one.recordSuccess('a');
    expect(await one.enter('a')).toBe(0);
  });

  test('costs one read per interval for all waiters of a process, and none after a success', async () => {
    const { one, reads } = harness();
    await one.recordFailure('a', 60_000);
    const before = reads();
    await Promise.all(Array.from({ length: 60 }, () => one.waitMs('a')));
    expect(reads() - before).toBeLessThanOrEqual(1);
    await one.recordSuccess('a');
    const after = reads();
    await one.enter('a');
    expect(await one.waitMs('a')).toBe(0);
    expect(reads()).toBe(after);
  });

  test('gets requests while the table is unavailable', async () => {
    const { one } = harness({ ...createMemoryDynamo(), get: failRequest, update: failRequest });
    await one.recordFailure('a', 60_000);
    expect([await one.waitMs('a'), await one.enter('a')]).toEqual([0, 0]);
    await one.recordSuccess('a');
    await one.recordNoResult('a');
  });
});
