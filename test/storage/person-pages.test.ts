import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { channelId, messageId, type UserId, userId, workspaceId } from '../../shared/domain/index.ts';
import {
  Erasure,
  type ErasureConfig,
  Exports,
  PersonIndex,
  SettingsStore,
  RetentionRun,
} from '../../shared/storage/index.ts';
import { startTables } from '../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const NOW = 1_790_000_000_000;
const ADA = userId('U1');
const LEAVING = { eraseJobs: async () => undefined };
const T1 = { platform: 'slack', workspace: workspaceId('T1') } as const;
const yes = () => Promise.resolve(true);

/** Turns of 60 KB, in threads of ten. */
async function fill(by: UserId, turns: number, first: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) {
    const id = `${1_789_000_000 + first + n}.000100`;
    await tables.client.putItem({
      TableName: 'conversations',
      Item: {
        pk: { S: `slack#T1#C1#${1_789_000_000 + Math.floor((first + n) / 10)}.000100` },
        sk: { S: `TURN#${id.padStart(20, '0')}` },
        id: { S: id },
        by: { S: by },
        ws: { S: 'T1' },
        body: { B: new Uint8Array(60_000) },
        ttl: { N: String(NOW / 1_000 + 86_400) },
      },
    });
  }
}

const config = (): ErasureConfig => ({
  dynamo: tables.dynamo,
  scan: (input) => tables.client.scan(input),
  table: 'conversations',
  now: () => NOW,
  isIndexComplete: yes,
});

type Page = {
  readonly Items?: readonly object[] | undefined;
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
};

async function count(): Promise<number> {
  let [foundCount, start]: [number, Page['LastEvaluatedKey']] = [0, undefined];
  do {
    const page: Page = await tables.client.scan({ TableName: 'conversations', ExclusiveStartKey: start });
    foundCount += page.Items?.length ?? 0;
    start = page.LastEvaluatedKey;
  } while (start);
  return foundCount;
}

test('index pages end when they get large, miss nothing, and pause as a scan does', async () => {
  await fill(ADA, 130, 0);
  await fill(userId('U2'), 40, 1_000);
  const exports = new Exports({ ...config(), scan: () => Promise.reject(new Error('read through')) });
  const keys = new Set<unknown>();
  let [pages, bytes, paused]: number[] = [0, 0, 0];
  let from: string | undefined;
  do {
    const page = await exports.page({ ...T1, user: ADA }, from);
    for (const { is } of page.entries) keys.add(is);
    expect(page.entries.length).toBeLessThanOrEqual(20);
    pages = (pages ?? 0) + 1;
    bytes = (bytes ?? 0) + page.entries.length * 60_000;
    paused = (paused ?? 0) + (page.pauseMs ?? 0);
    from = page.next;
  } while (from !== undefined);
  expect(keys.size).toBe(130);
  expect(pages).toBeGreaterThan(4);
  // A consistent read of 4 KB is a unit: 150 a second.
  expect((bytes ?? 0) / 4_096 / ((paused ?? 1) / 1_000)).toBeLessThan(150);
  const erasure = new Erasure({ ...config(), scan: () => Promise.reject(new Error('read through')) });
  let erased = 0;
  do {
    const page = await erasure.page({ ...T1, user: ADA }, from, LEAVING);
    erased += page.erased;
    from = page.next;
  } while (from !== undefined);
  expect([erased, await count()]).toEqual([130, 40]);
});

test('a scan uses at most 150 read units a second, filling the index 50', async () => {
  await fill(userId('U2'), 90, 2_000);
  let [units, paused, from]: [number, number, string | undefined] = [0, 0, undefined];
  const metered: ErasureConfig['scan'] = async (input) => {
    const page = await tables.client.scan(input);
    units += page.ConsumedCapacity?.CapacityUnits ?? NaN;
    return page;
  };
  const shortening = new RetentionRun({ ...config(), scan: metered });
  do {
    const page: Awaited<ReturnType<RetentionRun['page']>> = await shortening.page(
      T1,
      from,
      async () => undefined,
    );
    paused += page.pauseMs;
    from = page.next;
  } while (from !== undefined);
  expect(units).toBeGreaterThan(500);
  expect(Math.round(units / (paused / 1_000))).toBe(150);
  [units, paused] = [0, 0];
  const index = new PersonIndex({ ...config() });
  do {
    const page: Awaited<ReturnType<PersonIndex['fill']>> = await index.fill(metered, from);
    paused += page.pauseMs;
    from = page.next;
  } while (from !== undefined);
  expect(Math.round(units / (paused / 1_000))).toBe(50);
});

test('erasing the settings of a thread erases their pointers, and none of other threads', async () => {
  const settings = new SettingsStore({ dynamo: tables.dynamo, table: 'conversations', now: () => NOW });
  for (const root of ['5.1', '5.12'])
    await settings.change({ ...T1, user: ADA, thread: { channel: 'C1', root } }, 'thread', {
      change: { kind: 'value', level: 'thread', setting: 'temperature', value: 1 },
      edit: (layer) => layer,
      by: ADA,
    });
  const thread = { ...T1, channel: channelId('C1'), root: messageId('5.1') };
  await new Erasure(config()).threadPage(thread, ADA, undefined, LEAVING);
  const { Items = [] } = await tables.client.query({
    TableName: 'conversations',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: 'SETTINGS#slack#T1' } },
  });
  expect(Items.map(({ sk }) => sk?.S).filter((sk) => sk?.includes('thread'))).toEqual([
    'LEVEL#thread#C1#5.12',
    'POINTER#LEVEL#thread#C1#5.12#U1',
  ]);
});

test('a shorter retention shortens the pointers to a turn too', async () => {
  const pk = { S: 'slack#T9#C1#1789990000.000100' };
  const sk = 'TURN#0001789990000.000100';
  const ttl = { N: String(NOW / 1_000 + 86_400 * 30) };
  for (const name of [sk, `POINTER#${sk}#U1`])
    await tables.client.putItem({
      TableName: 'conversations',
      Item: { pk, sk: { S: name }, id: { S: '1789990000.000100' }, by: { S: 'U1' }, ttl },
    });
  let from: string | undefined;
  do {
    const page: Awaited<ReturnType<RetentionRun['page']>> = await new RetentionRun(config()).page(
      { platform: 'slack', workspace: workspaceId('T9') },
      from,
      async () => 2,
    );
    from = page.next;
  } while (from !== undefined);
  const { Items = [] } = await tables.client.query({
    TableName: 'conversations',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  });
  const due = String(1_789_990_000 + 2 * 86_400);
  expect(Items.map((item) => item['ttl']?.N)).toEqual([due, due]);
});
