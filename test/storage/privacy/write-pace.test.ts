import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, type ErasureConfig, Recordings, RetentionRun } from '../../../shared/storage/index.ts';
import { compressTurn, readTurnContent } from '../../../shared/storage/dynamodb/turn-compression.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const NOW = 1_790_000_000_000;
const TABLE = 'conversations';
const HOOKS = { eraseJobs: () => Promise.resolve() };
const T1 = { platform: 'slack', workspace: workspaceId('T1') } as const;
const THREAD = { ...T1, channel: channelId('C1'), root: messageId('1789000000.000100') };
const ADA = userId('U1');
/** Read units of the scan: none, so that the pauses are those for the writes. */
const ConsumedCapacity = { CapacityUnits: 0 };

/** A thread with this many turns of 100 KB, which cost a hundred write units each. */
async function harness(turnCount: number, isByIndex = false) {
  const dynamo = createMemoryDynamo();
  for (let n = 0; n < turnCount; n += 1) {
    const id = `${1_789_000_000 + n}.000100`;
    const Item = {
      pk: { S: 'slack#T1#C1#1789000000.000100' },
      sk: { S: `TURN#${id.padStart(20, '0')}` },
      id: { S: id },
      by: { S: ADA },
      ws: { S: 'T1' },
      body: { B: new Uint8Array(102_400) },
      ttl: { N: String(NOW / 1_000 + 30 * 86_400) },
    };
    await dynamo.put({ TableName: TABLE, Item });
  }
  const config: ErasureConfig = {
    dynamo,
    scan: async () => ({ Items: dynamo.items(TABLE), ConsumedCapacity }),
    table: TABLE,
    now: () => NOW,
    isIndexComplete: () => Promise.resolve(isByIndex),
  };
  return { dynamo, config, erasure: new Erasure(config) };
}

/** The time for this many write units at 150 a second (ms). */
const timeFor = (units: number): number => (units / 150) * 1_000;

test('a page of a workspace, a person or a thread pauses for what its removal writes: 150 units a second', async () => {
  const workspace = await (await harness(10)).erasure.page(T1, undefined, HOOKS);
  const person = await (await harness(10)).erasure.page({ ...T1, user: ADA }, undefined, HOOKS);
  const byIndex = await (await harness(10, true)).erasure.page({ ...T1, user: ADA }, undefined, HOOKS);
  const thread = await (await harness(10)).erasure.threadPage(THREAD, ADA, undefined, HOOKS);
  for (const { erased, pauseMs = 0 } of [workspace, person, byIndex, thread]) {
    expect(erased).toBe(10);
    expect(pauseMs).toBeGreaterThanOrEqual(timeFor(1_000));
    // Index entries, and what the reads of the last two cost.
    expect(pauseMs).toBeLessThan(timeFor(1_350));
  }
  const nothing = await (await harness(0)).erasure.page(T1, undefined, HOOKS);
  expect(nothing).toMatchObject({ erased: 0, pauseMs: 0 });
});

test('a page pauses at most half of the lease for scans', async () => {
  const { erasure } = await harness(60);
  expect(await erasure.page(T1, undefined, HOOKS)).toMatchObject({ erased: 60, pauseMs: 30_000 });
});

test('the chunks of a recording count, which no page contains', async () => {
  const { dynamo, config } = await harness(0);
  const recordings = new Recordings({ dynamo, table: TABLE, days: 30, now: () => NOW });
  const ref = { thread: THREAD, message: messageId('1789000001.000100'), file: 'F1' };
  await recordings.begin(ref, ADA, T1.workspace);
  for (let n = 0; n < 300; n += 1)
    await recordings.saveChunk(ref, { n, fromMs: n, toMs: n + 1, text: 'Hello.', words: [] });
  const page = await new Erasure(config).threadPage(THREAD, ADA, undefined, HOOKS);
  expect(page.erased).toBe(1);
  expect(dynamo.items(TABLE)).toEqual([]);
  expect(page.pauseMs).toBeGreaterThanOrEqual(timeFor(600));
});

test('a shorter retention pauses for the items that it changes', async () => {
  const { config } = await harness(10);
  const run = new RetentionRun(config);
  const shorter = await run.page(T1, undefined, async () => 20);
  expect(shorter.pauseMs).toBeGreaterThanOrEqual(timeFor(1_000));
  const unchanged = await run.page(T1, undefined, async () => 20);
  expect(unchanged.pauseMs).toBe(0);
});

/** A text that does not get smaller than 70 % of its length when it is compressed. */
const incompressible = (length: number): string => {
  let text = '';
  for (let n = 0; text.length < length; n += 1)
    text += createHash('sha512').update(String(n)).digest('base64');
  return text.slice(0, length);
};

test('what is removed from the turns of other people counts too', async () => {
  const { dynamo, erasure } = await harness(0);
  const line = { by: ADA, author: 'ada', text: incompressible(140_000), at: 1 };
  const outcome = { kind: 'failed', reason: 'server', text: 'No answer.' } as const;
  const body = compressTurn({ question: 'Why?', contextLines: [line], outcome });
  expect(body.byteLength).toBeGreaterThan(100_000);
  for (let n = 0; n < 10; n += 1) {
    const sk = { S: `TURN#${`${1_789_000_000 + n}.000100`.padStart(20, '0')}` };
    const Item = { pk: { S: 'slack#T1#C1#1789000000.000100' }, sk, by: { S: 'U2' }, body: { B: body } };
    await dynamo.put({ TableName: TABLE, Item });
  }
  const { erased, pauseMs } = await erasure.page({ ...T1, user: ADA }, undefined, HOOKS);
  expect(erased).toBe(0);
  const left = dynamo.items(TABLE).map((item) => readTurnContent(item['body']?.B ?? new Uint8Array()));
  expect(left).toEqual(Array.from({ length: 10 }, () => ({ question: 'Why?', outcome })));
  expect(pauseMs).toBeGreaterThanOrEqual(timeFor(980));
  expect(pauseMs).toBeLessThan(timeFor(1_350));
});
