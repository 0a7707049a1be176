import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Dynamo, Ledger } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { repeatingWrites } from '../../fakes/repeated-writes.ts';
import { withRepeatableWrites } from '../../../shared/storage/dynamodb/write-ids.ts';
import { startTables } from '../../fakes/tables.ts';

const T0 = 1_700_000_000_000;
const MINUTE = 60_000;
const PRICE = 123_456_789_012_345_678n;

const booking = (id: string, atto = PRICE) => ({
  id,
  model: 'vendor/model-a',
  prompt: 100,
  cached: 40,
  completion: 20,
  atto,
  priced: true,
});

function suite(dynamoOf: () => Dynamo) {
  let count = 0;
  const harness = () => {
    let now = T0;
    const ledger = new Ledger({ dynamo: dynamoOf(), table: 'conversations', now: () => now });
    const key = { partition: `ACCOUNT#test#${count++}`, account: 'D#2026-11-21#person#U1' };
    const reserve = (id: string, atto: bigint, limit = {}) =>
      ledger.reserve(key, { id, atto, limit: limit, untilMs: now + 15 * MINUTE });
    return { ledger, key, reserve, pass: (ms: number) => (now += ms) };
  };

  test('a reservation counts, and is replaced by the actual cost', async () => {
    const { ledger, key, reserve } = harness();
    const limit = { atto: 3n * PRICE };
    expect(await reserve('a', 2n * PRICE, limit)).toMatchObject({ reserved: true });
    expect(await reserve('b', 2n * PRICE, limit)).toMatchObject({
      reserved: false,
      counters: { atto: 2n * PRICE, requests: 1 },
    });
    const settled = await ledger.settle(key, 2n * PRICE, booking('a'));
    expect(settled).toMatchObject({ atto: PRICE, requests: 1 });
    expect(settled?.models['vendor/model-a']).toEqual({
      requests: 1,
      prompt: 100,
      cached: 40,
      completion: 20,
      atto: PRICE,
      unknown: 0,
      estimated: 0,
    });
    expect(await reserve('b', 2n * PRICE, limit)).toMatchObject({ reserved: true });
  });

  test('each change counts once, however often it arrives', async () => {
    const { ledger, key, reserve } = harness();
    expect(await reserve('a', 5n)).toMatchObject({ reserved: true });
    expect(await reserve('a', 5n)).toMatchObject({ reserved: true, counters: { atto: 5n, requests: 1 } });
    await ledger.settle(key, 5n, booking('a', 3n));
    expect(await ledger.settle(key, 5n, booking('a', 3n))).toBeUndefined();
    await ledger.release(key, 'a', 5n);
    await ledger.book(key, booking('z', 2n));
    await ledger.book(key, booking('z', 2n));
    expect(await ledger.read(key)).toMatchObject({ atto: 5n, requests: 2 });
  });

  test('the requests whose usage is estimated are counted', async () => {
    const { ledger, key } = harness();
    await ledger.book(key, { ...booking('a'), isEstimated: true });
    await ledger.book(key, booking('b'));
    expect((await ledger.read(key)).models['vendor/model-a']).toMatchObject({ requests: 2, estimated: 1 });
  });

  test('a failed request is released, even without a reservation', async () => {
    const { ledger, key, reserve } = harness();
    await reserve('a', 5n);
    await ledger.release(key, 'a', 5n);
    await ledger.release(key, 'b', 5n);
    expect(await ledger.read(key)).toMatchObject({ atto: 0n, requests: 0 });
  });

  test('requests are limited like money', async () => {
    const { reserve } = harness();
    expect(await reserve('a', 0n, { requests: 1 })).toMatchObject({ reserved: true });
    expect(await reserve('b', 0n, { requests: 1 })).toMatchObject({ reserved: false });
    expect(await harness().reserve('a', 0n, { requests: 0 })).toMatchObject({ reserved: false });
    expect(await harness().reserve('a', 2n, { atto: 1n })).toMatchObject({ reserved: false });
  });

  test('the reservation of a crashed worker counts as spent, and its late settlement changes nothing', async () => {
    const { ledger, key, reserve, pass } = harness();
    await reserve('dead', 7n);
    pass(20 * MINUTE);
    await reserve('b', 5n);
    await ledger.settle(key, 5n, booking('b', 4n));
    expect(await ledger.settle(key, 7n, booking('dead', 1n))).toBeUndefined();
    expect(await ledger.read(key)).toMatchObject({ atto: 11n, requests: 2 });
  });

  test('a reset keeps open reservations, and people are warned once', async () => {
    const { ledger, key, reserve } = harness();
    await reserve('a', 5n);
    await ledger.settle(key, 5n, booking('a', 5n));
    await reserve('b', 2n);
    expect(await ledger.claimWarning(key)).toBe(true);
    expect(await ledger.claimWarning(key)).toBe(false);
    await ledger.reset(key);
    expect(await ledger.read(key)).toMatchObject({ atto: 2n, requests: 1 });
    expect(await ledger.claimWarning(key)).toBe(true);
    await ledger.settle(key, 2n, booking('b', 1n));
    expect(await ledger.read(key)).toMatchObject({ atto: 1n, requests: 1 });
  });

  test('after a reset, the late end of a request that counted as lost takes nothing off', async () => {
    const { ledger, key, reserve, pass } = harness();
    await reserve('a', 5n);
    await reserve('b', 3n);
    pass(16 * MINUTE);
    await reserve('c', 2n);
    await ledger.reset(key);
    expect(await ledger.read(key)).toMatchObject({ atto: 2n, requests: 1 });
    await ledger.settle(key, 5n, booking('a', 1n));
    await ledger.release(key, 'b', 3n);
    expect(await ledger.read(key)).toMatchObject({ atto: 2n, requests: 1 });
  });

  test('a reset includes a booking that was made while it read', async () => {
    const { ledger, key } = harness();
    await ledger.book(key, booking('a', 5n));
    let late = 2;
    const dynamo: Dynamo = {
      ...dynamoOf(),
      get: async (input) => {
        const read = await dynamoOf().get(input);
        // Its price is unknown: the sum stays.
        if (late > 0) await ledger.book(key, booking(`late-${(late -= 1)}`, 0n));
        return read;
      },
      update: (input) => dynamoOf().update(input),
    };
    await new Ledger({ dynamo, table: 'conversations', now: () => T0 }).reset(key);
    expect(await ledger.read(key)).toMatchObject({ atto: 0n, requests: 0 });
  });

  test('accounts are listed by day', async () => {
    const { ledger, key } = harness();
    for (const day of [20, 21, 22])
      await ledger.book({ ...key, account: `D#2026-11-${day}#person#U1` }, booking(`on-${day}`));
    const counters = await ledger.list(key.partition, 'D#2026-11-21', 'D#2026-11-22#~', 10);
    expect(counters.map(({ account }) => account)).toEqual([
      'D#2026-11-21#person#U1',
      'D#2026-11-22#person#U1',
    ]);
  });
}

describe('the ledger in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('the ledger on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});

const atT0 = () => T0;

test('a booking counts once when the response is lost, also if another process books before the repetition', async () => {
  const memory = createMemoryDynamo();
  const key = { partition: 'ACCOUNT#test', account: 'D#2026-11-21#person#U1' };
  const other = new Ledger({ dynamo: withRepeatableWrites(memory), table: 'conversations', now: atT0 });
  let others = 0;
  const dynamo = withRepeatableWrites(
    repeatingWrites(memory, () => other.book(key, booking(`other-${(others += 1)}`, 1n))),
  );
  await new Ledger({ dynamo, table: 'conversations', now: atT0 }).book(key, booking('own', 10n));
  expect(await other.read(key)).toMatchObject({ atto: 11n, requests: 2 });
});

test('the ids of bookings are kept for the last seconds only', async () => {
  const memory = createMemoryDynamo();
  let now = T0;
  const ledger = new Ledger({ dynamo: memory, table: 'conversations', now: () => now });
  for (let n = 0; n < 100; n += 1) {
    await ledger.book({ partition: 'ACCOUNT#test', account: 'D#2026-11-21' }, booking(`own-${n}`, 1n));
    now += 1_000;
  }
  const [account = {}] = memory.items('conversations');
  const ids = Object.entries(account).flatMap(([name, { SS = [] }]) =>
    name.startsWith('counted') ? SS : [],
  );
  expect(account['n']).toEqual({ N: '100' });
  expect(ids.length).toBeGreaterThanOrEqual(10);
  expect(ids.length).toBeLessThanOrEqual(30);
});
