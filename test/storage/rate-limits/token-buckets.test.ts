import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CHAT_LIMIT,
  type RateLimit,
  type GcraRule,
  createGcraRule,
} from '../../../shared/rate-limits/index.ts';
import { TokenBuckets, type Dynamo } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { repeatingWrites } from '../../fakes/repeated-writes.ts';
import { withRepeatableWrites } from '../../../shared/storage/dynamodb/write-ids.ts';
import { startTables } from '../../fakes/tables.ts';
import { createSeededRandom } from '../../faults/seeded-random.ts';
import { type Process, FaultHarness } from '../../faults/harness.ts';

const EXACT = { jitterMs: 0, skewMs: 0, slowdown: 1 };
const AT_ONCE = { maxWaitMs: 0 };
const T0 = 1_700_000_000_000;

function suite(dynamoOf: () => Dynamo) {
  let key = 0;
  const rule = createGcraRule({ perMinute: 60, burst: 3 }, EXACT);

  test('the burst passes immediately, then one request a second; a refusal contains the wait', async () => {
    let now = T0;
    const buckets = new TokenBuckets(dynamoOf(), 'tokens', () => now);
    const name = `key-${key++}`;
    for (let i = 0; i < 3; i += 1)
      expect(await buckets.take(name, rule, AT_ONCE)).toMatchObject({ granted: true, waitMs: 0 });
    expect(await buckets.take(name, rule, AT_ONCE)).toEqual({ granted: false, retryAfterMs: 1_000 });
    now += 999;
    expect(await buckets.take(name, rule, AT_ONCE)).toEqual({ granted: false, retryAfterMs: 1 });
    now += 1;
    expect(await buckets.take(name, rule, AT_ONCE)).toMatchObject({ granted: true, waitMs: 0 });
    now += 60_000;
    for (let i = 0; i < 3; i += 1)
      expect(await buckets.take(name, rule, AT_ONCE)).toMatchObject({ granted: true });
    expect(await buckets.take(name, rule, AT_ONCE)).toMatchObject({ granted: false });
  });

  test('a process without a known state needs at most two writes', async () => {
    const now = T0;
    const counted = counting(dynamoOf());
    const name = `key-${key++}`;
    const first = new TokenBuckets(counted.dynamo, 'tokens', () => now);
    await first.take(name, rule, AT_ONCE);
    expect(counted.writes()).toBe(1);
    await first.take(name, rule, AT_ONCE);
    expect(counted.writes()).toBe(2);
    const second = new TokenBuckets(counted.dynamo, 'tokens', () => now);
    await second.take(name, rule, AT_ONCE);
    expect(counted.writes()).toBe(4);
    expect(await second.take(name, rule, AT_ONCE)).toMatchObject({ granted: false });
    const before = counted.writes();
    for (let i = 0; i < 5; i += 1)
      expect(await second.take(name, rule, AT_ONCE)).toMatchObject({ granted: false });
    expect(counted.writes()).toBe(before);
  });

  test('waiting requests get permits one after the other', async () => {
    const now = T0;
    const buckets = new TokenBuckets(dynamoOf(), 'tokens', () => now);
    const name = `key-${key++}`;
    const waits: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const decision = await buckets.take(name, rule, { maxWaitMs: 10_000 });
      if (decision.granted) waits.push(decision.waitMs);
    }
    expect(waits).toEqual([0, 0, 0, 1_000, 2_000, 3_000]);
  });

  test('a pause of the upstream applies to everyone and is never shortened', async () => {
    let now = T0;
    const buckets = new TokenBuckets(dynamoOf(), 'tokens', () => now);
    const name = `key-${key++}`;
    await buckets.pause(name, rule, now + 5_000);
    await buckets.pause(name, rule, now + 2_000);
    const other = new TokenBuckets(dynamoOf(), 'tokens', () => now);
    expect(await other.take(name, rule, AT_ONCE)).toEqual({ granted: false, retryAfterMs: 5_000 });
    now += 5_000;
    expect(await other.take(name, rule, AT_ONCE)).toMatchObject({ granted: true, waitMs: 0 });
    expect(await other.take(name, rule, AT_ONCE)).toEqual({ granted: false, retryAfterMs: 1_000 });
  });

  test('after a 429 without a retry time everyone waits a second, and twice as long after each following one', async () => {
    let now = T0;
    const buckets = new TokenBuckets(dynamoOf(), 'tokens', () => now);
    const name = `key-${key++}`;
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      await buckets.pause(name, rule, undefined);
      const decision = await buckets.take(name, rule, AT_ONCE);
      if (decision.granted) throw new Error('nothing was put off');
      pauses.push(decision.retryAfterMs);
      now += decision.retryAfterMs;
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    now += 6_000;
    await buckets.pause(name, rule, undefined);
    expect(await buckets.take(name, rule, AT_ONCE)).toEqual({ granted: false, retryAfterMs: 1_000 });
  });
}

function counting(inner: Dynamo): { dynamo: Dynamo; writes: () => number } {
  let writes = 0;
  return {
    dynamo: { ...inner, get: inner.get.bind(inner), update: (input) => ((writes += 1), inner.update(input)) },
    writes: () => writes,
  };
}

describe('buckets in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('buckets on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});

/** Four permits are taken, one of them for a person, and that one is returned. */
async function returnPermit(between?: (bucket: TokenBuckets) => Promise<unknown>) {
  const memory = createMemoryDynamo();
  const rule = createGcraRule({ perMinute: 60, burst: 10 }, EXACT);
  const other = new TokenBuckets(withRepeatableWrites(memory), 'tokens', () => T0);
  const share = { names: { '#share': 'p_a' }, values: { ':share': { S: '9 0' } } };
  for (let i = 0; i < 3; i += 1) await other.take('key', rule, AT_ONCE);
  await other.takeNow('key', rule, 0, { set: ['#share = :share'], ...share });
  const repeating = repeatingWrites(memory, async () => void (await between?.(other)));
  const bucket = new TokenBuckets(between ? withRepeatableWrites(repeating) : memory, 'tokens', () => T0);
  await bucket.release('key', rule, {
    conditions: ['#share = :share'],
    clauses: ['REMOVE #share'],
    ...share,
  });
  const { tat, shares } = await new TokenBuckets(memory, 'tokens', () => T0).state('key');
  return { permits: Math.round((tat - T0 * 1_000) / rule.intervalUs), shares: shares.size };
}

test('an unused permit is returned once when the response is lost, also if another process writes before the repetition', async () => {
  const rule = createGcraRule({ perMinute: 60, burst: 10 }, EXACT);
  expect(await returnPermit()).toEqual({ permits: 3, shares: 0 });
  expect(await returnPermit(async () => undefined)).toEqual({ permits: 3, shares: 0 });
  const taking = (other: TokenBuckets) => other.take('key', rule, AT_ONCE);
  const { permits, shares } = await returnPermit(taking);
  // One is taken between the attempts of each of the two writes.
  expect([permits, shares]).toEqual([5, 0]);
});

test("the chat limit is used slightly below the upstream's limit", () => {
  expect(createGcraRule(CHAT_LIMIT)).toEqual({ intervalUs: 505_000, toleranceUs: 27 * 505_000 });
});

/** Many takers on one key, each a process with a state of its own, on a table with slow and lost responses. */
async function storm(
  seed: number,
  rule: GcraRule,
  takers: number,
  ms: number,
): Promise<{ sent: number[]; lost: number }> {
  const random = createSeededRandom(seed);
  const lost = { count: 0 };
  const harness = new FaultHarness(
    T0,
    (_index, name) => {
      if (name !== 'update' || random() > 0.02) return undefined;
      lost.count += 1;
      return random() < 0.5 ? 'reply-lost' : 'error';
    },
    random,
  );
  const store = createMemoryDynamo();
  const sent: number[] = [];
  for (let i = 0; i < takers; i += 1) {
    const process = harness.spawn(`taker ${i}`);
    void takeAll(process, slow(store, process, random), rule, harness, sent, T0 + ms);
  }
  await harness.run(T0 + ms + 60_000);
  return { sent: sent.toSorted((a, b) => a - b), lost: lost.count };
}

function slow(store: Dynamo, process: Process, random: () => number): Dynamo {
  const late = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    await process.time.sleep(Math.floor(random() * 300));
    const result = await process.effect(name, call);
    await process.time.sleep(Math.floor(random() * 300));
    return result;
  };
  return {
    ...store,
    get: (input) => late('get', () => store.get(input)),
    update: (input) => late('update', () => store.update(input)),
  };
}

async function takeAll(
  process: Process,
  dynamo: Dynamo,
  rule: GcraRule,
  harness: FaultHarness,
  sent: number[],
  end: number,
) {
  const buckets = new TokenBuckets(dynamo, 'tokens', () => harness.now);
  while (harness.now < end) {
    const now = harness.now;
    const decision = await buckets.take('key', rule, { maxWaitMs: 2_000 }).catch(() => undefined);
    if (decision?.granted) sent.push(now + decision.waitMs);
    await process.time.sleep(decision && !decision.granted ? decision.retryAfterMs : 1);
  }
}

/** The largest excess over burst plus refill within any window. */
function worstExcess(sent: readonly number[], limit: RateLimit): number {
  let level = 0;
  let last = sent[0] ?? 0;
  let worst = -Infinity;
  for (const at of sent) {
    level = Math.max(0, level - ((at - last) * limit.perMinute) / 60_000) + 1;
    last = at;
    worst = Math.max(worst, level - limit.burst);
  }
  return worst;
}

test.each([1, 2, 3, 4])(
  'a storm of takers on a slow table stays within burst plus refill and uses it (seed %i)',
  async (seed) => {
    const limit: RateLimit = { perMinute: 120, burst: 30 };
    const ms = 30_000;
    const { sent, lost } = await storm(seed, createGcraRule(limit, EXACT), 40, ms);
    expect(worstExcess(sent, limit)).toBeLessThanOrEqual(0.001);
    const ideal = limit.burst + (ms / 60_000) * limit.perMinute;
    expect(sent.filter((at) => at < T0 + ms).length).toBeGreaterThanOrEqual(0.95 * ideal - lost);
  },
);

test('the load test detects a burst that is one too large', async () => {
  const limit: RateLimit = { perMinute: 120, burst: 30 };
  const runs = await Promise.all(
    [1, 2, 3, 4].map((seed) => storm(seed, createGcraRule({ ...limit, burst: 31 }, EXACT), 40, 30_000)),
  );
  expect(Math.max(...runs.map(({ sent }) => worstExcess(sent, limit)))).toBeGreaterThan(0.5);
});
