import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type EndpointFamily, ENDPOINT_LIMITS } from '../../../shared/rate-limits/index.ts';
import {
  TokenBuckets,
  type Dynamo,
  KeyRateLimiter,
  type PermitRequest,
  type PermitDecision,
} from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { createSeededRandom } from '../../faults/seeded-random.ts';
import { startTables } from '../../fakes/tables.ts';

const T0 = 1_700_000_000_000;
const ADA = { priority: 'person', person: 'ada', maxWaitMs: 60_000 } as const;

type Rig = {
  readonly at: (ms: number) => void;
  readonly permits: KeyRateLimiter;
  readonly other: KeyRateLimiter;
};

function harness(dynamo: Dynamo, keys: readonly string[], family: EndpointFamily = 'chat'): Rig {
  let now = T0;
  const clock = (): number => now;
  const random = createSeededRandom(1);
  const make = (): KeyRateLimiter =>
    new KeyRateLimiter({
      buckets: new TokenBuckets(dynamo, 'tokens', clock),
      random,
      family,
      limit: ENDPOINT_LIMITS[family],
      keys: () => Promise.resolve(keys),
      now: clock,
      // Otherwise a request that the table refuses would be granted without it.
      onTableUnavailable: (_, error) => {
        throw error;
      },
    });
  return { at: (ms) => (now = T0 + ms), permits: make(), other: make() };
}

/** Takes permits until one is refused or queued; returns the number of immediate ones. */
async function atOnce(permits: KeyRateLimiter, ask: PermitRequest): Promise<number> {
  for (let count = 0; ; count += 1) {
    const decision = await permits.take({ ...ask, maxWaitMs: 0 });
    if (decision.kind !== 'granted') return count;
  }
}

const asks = (person: string, more: Partial<PermitRequest> = {}): PermitRequest => ({
  ...ADA,
  person,
  ...more,
});

/** The granted permit. Throws if there was none. */
function permitOf(decision: PermitDecision) {
  if (decision.kind !== 'granted') throw new Error(`no permit: ${decision.kind}`);
  return decision.permit;
}

/** The position in the queue. Throws if there was none. */
function placeOf(decision: PermitDecision) {
  if (decision.kind !== 'waiting') throw new Error(`no place: ${decision.kind}`);
  return decision.place;
}

function suite(dynamoOf: () => Dynamo) {
  let count = 0;
  const fresh = (): string => `permits-${count++}-${Math.floor(performance.now())}`;

  test('a person with many questions leaves the burst to others for a moment, who get permits immediately', async () => {
    const { permits, other, at } = harness(dynamoOf(), [fresh()]);
    const first = await atOnce(permits, asks('ada'));
    expect(first).toBeGreaterThanOrEqual(2);
    expect(first).toBeLessThan(14);
    expect(await other.take(asks('bob'))).toMatchObject({ kind: 'granted' });
    at(2_000);
    // No other person has asked.
    expect(await permits.take(asks('ada'))).toMatchObject({ kind: 'waiting' });
  });

  test('a lower class leaves the end of the burst; transcripts queue, background work never does', async () => {
    const { permits } = harness(dynamoOf(), [fresh()]);
    expect(await atOnce(permits, { priority: 'background', maxWaitMs: 0 })).toBe(28 - 12);
    expect(await atOnce(permits, { priority: 'transcript', maxWaitMs: 0 })).toBe(6);
    expect(await permits.take({ priority: 'background', maxWaitMs: 60_000 })).toMatchObject({
      kind: 'refused',
    });
    expect(await atOnce(permits, { priority: 'person', maxWaitMs: 0 })).toBe(6);
    const waits = await permits.take({ priority: 'transcript', maxWaitMs: 60_000 });
    expect(waits).toMatchObject({ kind: 'waiting' });
    await permits.leave(placeOf(waits));
  });

  test('a queued request knows its position and wait, and is served in turn', async () => {
    const { permits, other, at } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    const ada = placeOf(await other.take(asks('ada')));
    const bob = await permits.take(asks('bob'));
    expect(bob).toMatchObject({ kind: 'waiting', waitMs: 1_010, ahead: 1 });
    const again = await other.take(asks('ada'));
    // A second question leaves room for others for a moment.
    expect(again).toMatchObject({ kind: 'waiting', waitMs: 1_894, ahead: 2 });
    at(504);
    expect(await other.poll(ada)).toMatchObject({ kind: 'waiting', waitMs: 1, ahead: 0 });
    at(505);
    expect(await permits.poll(placeOf(bob))).toMatchObject({ kind: 'waiting', waitMs: 505, ahead: 1 });
    expect(await other.poll(ada)).toMatchObject({ kind: 'granted' });
    at(1_010);
    expect(await permits.poll(placeOf(bob))).toMatchObject({ kind: 'granted' });
    at(1_894);
    expect(await other.poll(placeOf(again))).toMatchObject({ kind: 'granted' });
  });

  test('nobody overtakes a queued request, and leaving the queue frees its turn', async () => {
    const { permits, other, at } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    const ada = placeOf(await permits.take(asks('ada', { requestedAtMs: T0 - 10 })));
    at(600);
    expect(await other.takeFree(asks('bob'))).toBeUndefined();
    expect(await other.take({ priority: 'background', maxWaitMs: 0 })).toMatchObject({ kind: 'refused' });
    const bob = placeOf(await other.take(asks('bob')));
    await permits.leave(ada);
    at(1_000);
    expect(await other.poll(bob)).toMatchObject({ kind: 'granted' });
    at(60_000);
    expect(await other.takeFree(asks('eve'))).toBeDefined();
  });

  test('a queued request that is not renewed expires', async () => {
    const { permits, other, at } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    await permits.take(asks('ada'));
    at(10_000);
    expect(await other.takeFree(asks('bob'))).toBeUndefined();
    at(25_000);
    // The next taker finds an empty queue, and removes the expired entry.
    expect(await other.take(asks('bob'))).toMatchObject({ kind: 'granted' });
    expect(await other.takeFree(asks('eve'))).toBeDefined();
  });

  test('a request that waits long keeps its position, even if its worker loses track of it', async () => {
    const { permits, at } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    const decision = await permits.take(asks('ada'));
    await permits.report({ key: placeOf(decision).key }, { status: 429, retryAfterMs: 40_000, sentMs: T0 });
    for (let ms = 3_000; ms < 40_000; ms += 3_000) {
      at(ms);
      expect(await permits.poll(placeOf(decision))).toMatchObject({ kind: 'waiting', ahead: 0 });
    }
    at(40_506);
    expect(await permits.poll(placeOf(decision))).toMatchObject({ kind: 'granted' });
    const second = placeOf(await permits.take(asks('bob')));
    at(70_000);
    // Its entry has expired; it is entered again, and granted at the original time.
    expect((await permits.poll(second)).kind).toBe('waiting');
    expect(await permits.poll(second)).toMatchObject({ kind: 'granted' });
  });

  test("a released permit does not count: the person's next question counts as the first", async () => {
    const { permits, other } = harness(dynamoOf(), [fresh()]);
    const early = await permits.takeFree(asks('ada'));
    if (!early) throw new Error('no permit');
    expect(await other.takeFree(asks('ada'))).toBeUndefined();
    await permits.release(early);
    expect(await other.takeFree(asks('ada'))).toBeDefined();
  });

  test('a request that continues an answer comes before queued questions', async () => {
    const { permits, other } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    for (const who of ['ada', 'bob', 'eve']) await permits.take(asks(who));
    expect(await other.take(asks('ada', { isContinuation: true }))).toMatchObject({
      kind: 'waiting',
      waitMs: 505,
      ahead: 0,
    });
  });

  test('a 429 delays everyone, also queued requests; a second one at the same time changes nothing', async () => {
    const { permits, other, at } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    const ada = placeOf(await permits.take(asks('ada')));
    const full = { status: 429, code: 'rate_limit_exceeded', retryAfterMs: 4_000, sentMs: T0 };
    await other.report(ada, full);
    await permits.report(ada, full);
    at(505);
    expect(await permits.poll(ada)).toMatchObject({ kind: 'waiting', waitMs: 4_000 });
    expect(await other.take(asks('bob'))).toMatchObject({ kind: 'waiting', waitMs: 4_505, ahead: 1 });
    at(4_505);
    expect(await permits.poll(ada)).toMatchObject({ kind: 'granted' });
  });

  test('a wait that is too long is refused, and nothing is reserved', async () => {
    const { permits, other } = harness(dynamoOf(), [fresh()]);
    await atOnce(permits, { priority: 'person', maxWaitMs: 0 });
    for (const who of ['ada', 'bob', 'eve']) await permits.take(asks(who));
    expect(await other.take(asks('dan', { maxWaitMs: 1_000, requestedAtMs: T0 + 1 }))).toEqual({
      kind: 'refused',
      retryAfterMs: 2_020,
    });
    expect(await other.take(asks('dan', { requestedAtMs: T0 + 1 }))).toMatchObject({
      kind: 'waiting',
      waitMs: 2_020,
      ahead: 3,
    });
  });

  test('a 429 pauses the key for an hour at most, however long it asks to wait', async () => {
    const { permits, at } = harness(dynamoOf(), [fresh()]);
    const first = permitOf(await permits.take(ADA));
    await permits.report(first, { status: 429, retryAfterMs: 86_400_000, sentMs: T0 });
    at(3_590_000);
    expect(await permits.take(ADA)).toMatchObject({ kind: 'waiting' });
    at(3_601_000);
    expect(await permits.take(asks('bob'))).toMatchObject({ kind: 'granted' });
  });

  test('a model at capacity does not pause the key', async () => {
    const { permits } = harness(dynamoOf(), [fresh()]);
    const first = permitOf(await permits.take(ADA));
    await permits.report(first, {
      status: 429,
      code: 'model_at_capacity',
      retryAfterMs: 60_000,
      sentMs: T0,
    });
    expect(await permits.take(ADA)).toMatchObject({ kind: 'granted' });
  });

  test("the upstream's count is adopted only when other clients use the key", async () => {
    const { permits, at } = harness(dynamoOf(), [fresh()]);
    const first = permitOf(await permits.take(ADA));
    await permits.report(first, { status: 200, remaining: 29, sentMs: T0 });
    at(1);
    expect(await atOnce(permits, { priority: 'person', maxWaitMs: 0 })).toBe(27);
    at(60_000);
    const next = permitOf(await permits.take(ADA));
    await permits.report(next, { status: 200, remaining: 4, sentMs: T0 + 60_000 });
    expect(await atOnce(permits, { priority: 'person', maxWaitMs: 0 })).toBe(2);
  });

  test('among several keys, one with capacity is used', async () => {
    const keys = [fresh(), fresh()];
    const { permits } = harness(dynamoOf(), keys);
    expect(await atOnce(permits, { priority: 'person', maxWaitMs: 0 })).toBe(2 * 28);
  });

  test('an unpublished limit is learned from a 429 and rises again', async () => {
    const { permits, at } = harness(dynamoOf(), [fresh()], 'speech');
    const ask: PermitRequest = { priority: 'person', maxWaitMs: 0 };
    const burst = await atOnce(permits, ask);
    expect(burst).toBe(9);
    await permits.report({ key: '' }, { status: 200, sentMs: T0 });
    const { permits: again, at: later } = harness(dynamoOf(), [fresh()], 'speech');
    const first = permitOf(await again.take(ask));
    await again.report(first, { status: 429, retryAfterMs: 1_000, sentMs: T0 });
    later(120_000);
    expect(await atOnce(again, ask)).toBeLessThan(burst);
    later(120_000 + 6 * 3_600_000);
    expect(await atOnce(again, ask)).toBe(burst);
    at(0);
  });
}

describe('permits in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('permits on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});

test('among several keys, the one with the most capacity is tried first', async () => {
  const { permits } = harness(createMemoryDynamo(), ['one', 'two', 'three']);
  const keys: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const decision = await permits.take(asks(`person-${n}`));
    if (decision.kind === 'granted') keys.push(decision.permit.key);
  }
  expect(keys.slice(0, 3).toSorted()).toEqual(['one', 'three', 'two']);
  expect(keys.slice(3).toSorted()).toEqual(['one', 'three', 'two']);
});
