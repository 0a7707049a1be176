import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CHAT_LIMIT, type Family, LIMITS } from '../../shared/limits/index.ts';
import { Buckets, type Dynamo, KeySlots, Places, type SlotAsk } from '../../shared/store/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { startTables } from '../fakes/tables.ts';

const T0 = 1_700_000_000_000;
const ADA = { priority: 'person', person: 'ada', channel: 'c1', maxWaitMs: 60_000 } as const;

type Rig = { readonly at: (ms: number) => void; readonly slots: KeySlots; readonly other: KeySlots };

function rig(dynamo: Dynamo, keys: readonly string[], family: Family = 'chat'): Rig {
  let now = T0;
  const clock = (): number => now;
  const make = (): KeySlots =>
    new KeySlots({
      buckets: new Buckets(dynamo, 'tokens', clock),
      places: new Places(dynamo, 'tokens', clock),
      family,
      limit: LIMITS[family],
      keys: () => Promise.resolve(keys),
      now: clock,
    });
  return { at: (ms) => (now = T0 + ms), slots: make(), other: make() };
}

/** Takes until one is refused or has to wait; how many were had at once. */
async function atOnce(slots: KeySlots, ask: SlotAsk): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const decision = await slots.take({ ...ask, maxWaitMs: 0 });
    if (!decision.granted || decision.waitMs > 0) return taken;
  }
}

const greedy = (name: string): SlotAsk => ({ ...ADA, person: name, channel: `of ${name}` });
const gone = (): Promise<never> => Promise.reject(new Error('gone'));

function suite(dynamoOf: () => Dynamo) {
  let count = 0;
  const fresh = (): string => `slots-${count++}-${Math.floor(performance.now())}`;

  test('one person cannot take the last half of the burst, and another still gets of it at once', async () => {
    const { slots } = rig(dynamoOf(), [fresh()]);
    const half = await atOnce(slots, greedy('ada'));
    expect(half).toBe(15 + 2);
    expect(await slots.take(greedy('ada'))).toMatchObject({ granted: false });
    expect(await slots.take(greedy('bob'))).toMatchObject({ granted: true, waitMs: 0 });
  });

  test('a lower class leaves the last of the burst, and never stands in line', async () => {
    const { slots } = rig(dynamoOf(), [fresh()]);
    expect(await atOnce(slots, { priority: 'background', maxWaitMs: 0 })).toBe(28 - 12);
    expect(await atOnce(slots, { priority: 'transcript', maxWaitMs: 0 })).toBe(6);
    expect(await slots.take({ priority: 'transcript', maxWaitMs: 60_000 })).toMatchObject({ granted: false });
    expect(await atOnce(slots, { priority: 'person', maxWaitMs: 0 })).toBe(6);
  });

  test('who stands in line hears how many are before and for how long; each person has two places', async () => {
    const { slots, other, at } = rig(dynamoOf(), [fresh()]);
    await atOnce(slots, { priority: 'person', maxWaitMs: 0 });
    expect(await other.take(greedy('ada'))).toMatchObject({ granted: true, waitMs: 505, ahead: 1 });
    expect(await other.take(greedy('bob'))).toMatchObject({ granted: true, waitMs: 1_010, ahead: 2 });
    expect(await slots.take(greedy('ada'))).toMatchObject({ granted: true, waitMs: 1_515, ahead: 3 });
    const third = await slots.take(greedy('ada'));
    expect(third).toMatchObject({ granted: false });
    at(third.granted ? 0 : third.retryAfterMs);
    expect(await slots.take(greedy('ada'))).toMatchObject({ granted: true });
  });

  test('a 429 makes everybody wait, also who has a slot already; a second one of the same moment changes nothing', async () => {
    const { slots, other, at } = rig(dynamoOf(), [fresh()]);
    await atOnce(slots, { priority: 'person', maxWaitMs: 0 });
    const ada = await slots.take(greedy('ada'));
    if (!ada.granted) throw new Error('ada has no slot');
    const full = { status: 429, code: 'rate_limit_exceeded', retryAfterMs: 4_000, sentMs: T0 };
    await other.heard(ada.slot, full);
    await slots.heard(ada.slot, full);
    at(505);
    const { waitMs, slot } = await slots.due(ada.slot);
    expect(waitMs).toBe(4_000);
    at(4_505);
    expect(await slots.due(slot)).toEqual({ waitMs: 0, slot });
    const bob = await other.take(greedy('bob'));
    expect(bob).toMatchObject({ granted: true, waitMs: 505 });
  });

  test('a model that is full is no reason to hold the key back', async () => {
    const { slots } = rig(dynamoOf(), [fresh()]);
    const first = await slots.take(ADA);
    if (!first.granted) throw new Error('no slot');
    await slots.heard(first.slot, {
      status: 429,
      code: 'model_at_capacity',
      retryAfterMs: 60_000,
      sentMs: T0,
    });
    expect(await slots.take(ADA)).toMatchObject({ granted: true, waitMs: 0 });
  });

  test('the count of the upstream is adopted when the key is used elsewhere too, and only then', async () => {
    const { slots, at } = rig(dynamoOf(), [fresh()]);
    const first = await slots.take(ADA);
    if (!first.granted) throw new Error('no slot');
    await slots.heard(first.slot, { status: 200, remaining: 29, sentMs: T0 });
    at(1);
    expect(await atOnce(slots, { priority: 'person', maxWaitMs: 0 })).toBe(27);
    at(60_000);
    const next = await slots.take(ADA);
    if (!next.granted) throw new Error('no slot');
    await slots.heard(next.slot, { status: 200, remaining: 4, sentMs: T0 + 60_000 });
    expect(await atOnce(slots, { priority: 'person', maxWaitMs: 0 })).toBe(2);
  });

  test('of several keys the one with room is asked', async () => {
    const keys = [fresh(), fresh()];
    const { slots } = rig(dynamoOf(), keys);
    expect(await atOnce(slots, { priority: 'person', maxWaitMs: 0 })).toBe(2 * 28);
  });

  test('a limit that nobody publishes is learned from a 429, and forgotten again', async () => {
    const { slots, at } = rig(dynamoOf(), [fresh()], 'speech');
    const ask: SlotAsk = { priority: 'person', maxWaitMs: 0 };
    const burst = await atOnce(slots, ask);
    expect(burst).toBe(9);
    await slots.heard({ key: '', putOffUs: 0 }, { status: 200, sentMs: T0 });
    const { slots: again, at: later } = rig(dynamoOf(), [fresh()], 'speech');
    const first = await again.take(ask);
    if (!first.granted) throw new Error('no slot');
    await again.heard(first.slot, { status: 429, retryAfterMs: 1_000, sentMs: T0 });
    later(120_000);
    expect(await atOnce(again, ask)).toBeLessThan(burst);
    later(120_000 + 6 * 3_600_000);
    expect(await atOnce(again, ask)).toBe(burst);
    at(0);
  });
}

describe('slots in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('slots on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});

test('without the table people are answered at a trickle, and nobody else is', async () => {
  let now = T0;
  const told: boolean[] = [];
  const dynamo = { ...createMemoryDynamo(), update: gone, get: gone };
  const slots = new KeySlots({
    buckets: new Buckets(dynamo, 'tokens', () => now),
    places: new Places(dynamo, 'tokens', () => now),
    family: 'chat',
    limit: CHAT_LIMIT,
    keys: () => Promise.resolve(['a']),
    now: () => now,
    withoutTable: (granted) => told.push(granted),
  });
  expect(await slots.take({ ...ADA, priority: 'background' })).toMatchObject({ granted: false });
  expect(await slots.take(ADA)).toMatchObject({ granted: true, waitMs: 0 });
  expect(await slots.take(ADA)).toEqual({ granted: false, retryAfterMs: 10_000 });
  now += 10_000;
  expect(await slots.take(ADA)).toMatchObject({ granted: true });
  expect(told).toEqual([false, true, false, true]);
});
