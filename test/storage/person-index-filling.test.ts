import { expect, test } from '@jest/globals';
import { type IndexState, PersonIndex, type TableScan } from '../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';
import { copyOf, makeHistory, NOW, randomOf } from './person-history.ts';

const table = 'conversations';
const now = () => NOW;

test('an index that DynamoDB is still filling is not queried; other errors are thrown', async () => {
  const dynamo = createMemoryDynamo();
  const failing = (name: string) =>
    new PersonIndex({
      dynamo: { ...dynamo, query: () => Promise.reject(Object.assign(new Error('no'), { name })) },
      table,
      now,
    });
  expect(await failing('ValidationException').isQueryable()).toBe(false);
  expect(await failing('ResourceNotFoundException').isQueryable()).toBe(false);
  await expect(failing('ThrottlingException').isQueryable()).rejects.toThrow('no');
  expect(await new PersonIndex({ dynamo, table, now }).isQueryable()).toBe(true);
});

test('filling continues where it stopped, adds nothing twice, and detects that another process is further', async () => {
  const dynamo = createMemoryDynamo();
  await makeHistory(dynamo, 80, randomOf(7));
  const bare = await copyOf(dynamo, (sk) => !sk.startsWith('POINTER#'));
  const pointers = (of: MemoryDynamo) =>
    of.items(table).flatMap(({ sk }) => (sk?.S?.startsWith('POINTER#') ? [sk.S] : []));
  const all = bare.items(table);
  const scan: TableScan = async ({ ExclusiveStartKey, Limit }) => {
    // Smaller pages than requested, as DynamoDB returns for large items.
    expect(Limit).toBe(500);
    const start = ExclusiveStartKey
      ? all.findIndex(({ pk, sk }) => same({ pk, sk }, ExclusiveStartKey)) + 1
      : 0;
    const Items = all.slice(start, start + 20);
    const { pk, sk } = Items.at(-1) ?? {};
    const rest = start + 20 < all.length && pk && sk ? { LastEvaluatedKey: { pk, sk } } : {};
    return { Items, ConsumedCapacity: { CapacityUnits: 100 }, ...rest };
  };
  await new PersonIndex({ dynamo: bare, table, now }).plan(NOW + 1_000);
  expect(await new PersonIndex({ dynamo: bare, table, now }).state()).toEqual({
    kind: 'planned',
    startAtMs: NOW + 1_000,
  });
  const later = () => new PersonIndex({ dynamo: bare, table, now: () => NOW + 2_000 });
  let rounds = 0;
  for (
    let state: IndexState = await later().state();
    state.kind === 'filling';
    state = await later().state()
  ) {
    const index = later();
    const page = await index.fill(scan, state.from);
    // 100 units at 50 a second; the same page again changes nothing.
    expect(page.pauseMs).toBe(2_000);
    expect((await index.fill(scan, state.from)).written).toBe(0);
    expect(await index.save(state.read, page.read, page.next)).toBe(true);
    expect(await index.save(state.read, page.read, page.next)).toBe(false);
    rounds += 1;
  }
  expect(rounds).toBe(Math.ceil(all.length / 20));
  expect(await later().isComplete()).toBe(true);
  // A draft does not name the authors of its text; no version stored any without pointers.
  const expected = pointers(dynamo).filter((sk) => !sk?.startsWith('POINTER#DRAFT#'));
  for (const sk of expected) expect(pointers(bare)).toContain(sk);
});

const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);
