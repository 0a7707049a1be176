import { expect, test } from '@jest/globals';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import {
  ConditionFailedError,
  type Dynamo,
  Erasure,
  Exports,
  Recordings,
  SettingsStore,
  Turns,
} from '../../shared/storage/index.ts';
import { parseTurnItem, listPendingQuestions } from '../../shared/storage/turns/turn-item.ts';
import { getLeaseEnd } from '../../shared/storage/rate-limits/bucket-item.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { ERASE_BY_SCAN } from '../fakes/tables.ts';

type Key = Record<string, AttributeValue>;

const NOW = 1_790_000_000_000;
const now = () => NOW;
const table = 'conversations';
const WHOSE = { platform: 'slack', workspace: workspaceId('T1') } as const;
const ADA = userId('U1');
const thread = { ...WHOSE, channel: channelId('C1'), root: messageId('1.1') };
const LEAVING = { eraseJobs: () => Promise.resolve() };

const isIndexComplete = () => Promise.resolve(true);

/** DynamoDB may end a page anywhere: here after every item. */
function oneByOne(dynamo: Dynamo): Dynamo & { readonly starts: (Key | undefined)[] } {
  const starts: (Key | undefined)[] = [];
  const query: Dynamo['query'] = (input) => {
    starts.push(input.ExclusiveStartKey);
    return dynamo.query({ ...input, Limit: 1 });
  };
  return { ...dynamo, query, starts };
}

const put = (dynamo: Dynamo, sk: string, more: Key = {}, pk = 'slack#T1#C1#1.1') =>
  dynamo.put({ TableName: table, Item: { pk: { S: pk }, sk: { S: sk }, ...more } });

test('a recording of many pages is exported completely and once', async () => {
  const dynamo = oneByOne(createMemoryDynamo());
  const recordings = new Recordings({ dynamo, table, days: 30, now });
  const ref = { thread, message: messageId('1.2'), file: 'F1' };
  await recordings.begin(ref, ADA, thread.workspace);
  for (const n of [0, 1, 2])
    await recordings.saveChunk(ref, { n, fromMs: n, toMs: n + 1, text: `piece ${n}`, words: [] });
  const exports = new Exports({ ...ERASE_BY_SCAN, dynamo, scan: async () => ({}), table, now });
  const logs: string[] = [];
  let from: string | undefined;
  for (let page = 0; page < 20 && (page === 0 || from !== undefined); page += 1) {
    const { entries, next } = await exports.threadPage(thread, ADA, from);
    logs.push(JSON.stringify(entries));
    from = next;
  }
  expect(from).toBeUndefined();
  for (const n of [0, 1, 2]) expect(logs.join('').split(`piece ${n}`)).toHaveLength(2);
});

test('the settings of a thread are exported once, on the first page', async () => {
  const memory = createMemoryDynamo();
  await put(memory, 'LEVEL#thread#C1#1.1', { values: { S: '{"model":"m"}' } }, 'SETTINGS#slack#T1');
  for (const n of [1, 2, 3]) await put(memory, `TURN#${n}`);
  const exports = new Exports({
    ...ERASE_BY_SCAN,
    dynamo: oneByOne(memory),
    scan: async () => ({}),
    table,
    now,
  });
  const first = await exports.threadPage(thread, ADA);
  expect(first.entries.map((entry) => entry['is'])).toEqual(['LEVEL#thread#C1#1.1', 'TURN#1']);
  const second = await exports.threadPage(thread, ADA, first.next);
  expect(second.entries.map((entry) => entry['is'])).toEqual(['TURN#2']);
});

test('erasing a person continues in the index after the last page', async () => {
  const memory = createMemoryDynamo();
  for (const n of [1, 2, 3]) await put(memory, `TURN#${n}`, { by: { S: 'U1' }, ws: { S: 'T1' } });
  const dynamo = oneByOne(memory);
  const erasure = new Erasure({ dynamo, scan: async () => ({}), table, now, isIndexComplete });
  let next: string | undefined;
  for (let page = 0; page < 3; page += 1)
    ({ next } = await erasure.page({ ...WHOSE, user: ADA }, next, LEAVING));
  const startKeys = dynamo.starts.map((start) => start?.['sk']?.S);
  expect(startKeys.slice(0, 3)).toEqual([undefined, 'TURN#1', 'TURN#2']);
});

test("erasing a person writes nothing to other people's turns without their rating", async () => {
  const memory = createMemoryDynamo();
  const written: unknown[] = [];
  const update: Dynamo['update'] = (input) => {
    written.push(input.Key?.['sk']?.S);
    return memory.update(input);
  };
  const by = { S: 'U2' };
  await put(memory, 'TURN#1', { by, fb_U1: { N: '1' } });
  await put(memory, 'TURN#2', { by });
  const scan = async () => ({ Items: memory.items(table) });
  const erasure = new Erasure({ ...ERASE_BY_SCAN, dynamo: { ...memory, update }, scan, table });
  await erasure.page({ ...WHOSE, user: ADA }, undefined, LEAVING);
  expect(written).toEqual(['TURN#1']);
});

test('a search reads at most the newest 400 turns, in pages of 50', async () => {
  const limits: unknown[] = [];
  const query: Dynamo['query'] = async ({ Limit, ExclusiveStartKey: start }) => {
    limits.push(Limit);
    return { Items: [], ...(start && { LastEvaluatedKey: start }) };
  };
  const turns = new Turns({ dynamo: { ...createMemoryDynamo(), query }, table, days: 30, now });
  expect(
    await turns.search(
      { thread, message: messageId('1.2'), asker: ADA, askerWorkspace: WHOSE.workspace },
      'sky',
      5,
    ),
  ).toEqual([]);
  expect(limits).toEqual(Array.from({ length: 8 }, () => 50));
});

test('a change of settings with conflicts is tried five times, then rejected', async () => {
  let tries = 0;
  const memory = createMemoryDynamo();
  const refuseUpdate: Dynamo['update'] = async (input) => {
    if (input.Key?.['sk']?.S !== 'LEVEL#workspace') return memory.update(input);
    tries += 1;
    throw new ConditionFailedError();
  };
  const settings = new SettingsStore({ dynamo: { ...memory, update: refuseUpdate }, table, now });
  const change = { kind: 'value', level: 'workspace', setting: 'model', value: 'm' } as const;
  const changed = settings.change({ ...WHOSE, user: ADA }, 'workspace', {
    change,
    edit: (layer) => layer,
    by: '',
  });
  await expect(changed).rejects.toThrow(ConditionFailedError);
  expect(tries).toBe(5);
});

test('at most 2,000 places are cached', async () => {
  let reads = 0;
  const get: Dynamo['get'] = async () => {
    reads += 1;
    return {};
  };
  const settings = new SettingsStore({ dynamo: { ...createMemoryDynamo(), get }, table, now });
  const look = (n: number) => settings.layers({ ...WHOSE, workspace: workspaceId(`T${n}`), user: ADA });
  for (let n = 0; n < 2_000; n += 1) await look(n);
  await look(0);
  expect(reads).toBe(2_000);
  await look(2_000);
  await look(0);
  expect(reads).toBe(2_002);
});

test('a kept queue entry is valid for a lease beyond its turn, and a quarter of the wait', () => {
  const leaseMs = getLeaseEnd(NOW, undefined) - NOW;
  expect(leaseMs).toBeGreaterThan(0);
  expect(getLeaseEnd(NOW, NOW)).toBe(NOW + leaseMs);
  expect(getLeaseEnd(NOW, NOW - 5)).toBe(NOW + leaseMs);
  expect(getLeaseEnd(NOW, NOW + 60_000)).toBe(NOW + 75_000 + leaseMs);
});

test('text of a person is stored only after the pointer to it', async () => {
  const memory = createMemoryDynamo();
  const refs: string[] = [];
  const noPointer = (sk = '') => {
    if (sk.startsWith('POINTER#')) throw new Error('the table is away');
    refs.push(sk);
  };
  const putting: Dynamo['put'] = async (input) => {
    noPointer(input.Item?.['sk']?.S);
    return memory.put(input);
  };
  const update: Dynamo['update'] = async (input) => {
    noPointer(input.Key?.['sk']?.S);
    return memory.update(input);
  };
  const turn = { thread, message: messageId('1.2'), asker: ADA, askerWorkspace: WHOSE.workspace };
  const storage = new Turns({ dynamo: memory, table, days: 30, now });
  await storage.accept(turn, 'Why?', []);
  const claim = await storage.claim(turn, 60_000);
  const turns = new Turns({ dynamo: { ...memory, put: putting, update }, table, days: 30, now });
  const outcome = { kind: 'answered', text: 'So.', finish: 'stop', model: 'm' } as const;
  const content = {
    message: turn.message,
    question: 'Why?',
    outcome,
    contextLines: [{ by: userId('U7'), author: 'Ada', text: 'so', at: NOW }],
  };
  const fence = claim.kind === 'held' ? claim.fence : 0;
  await expect(turns.commit(turn, fence, content, { from: turn.message, number: 0 })).rejects.toThrow(
    'the table is away',
  );
  expect(await storage.claim(turn, 60_000, true)).toMatchObject({ kind: 'held', ended: undefined });
  expect(refs).toEqual([]);
});

test('a question is not merged with itself, without its text, or when part of its own answer may be posted', async () => {
  const memory = createMemoryDynamo();
  const turn = { thread, message: messageId('1.2'), asker: ADA, askerWorkspace: WHOSE.workspace };
  await new Turns({ dynamo: memory, table, days: 30, now }).accept(turn, 'Why?', []);
  const [item] = memory.items(table).filter(({ sk }) => sk?.S?.startsWith('TURN#'));
  if (!item) throw new Error('nothing was accepted');
  const other = { ...turn, message: messageId('1.1') };
  expect(listPendingQuestions(parseTurnItem(item), other)).toMatchObject([{ question: 'Why?' }]);
  expect(listPendingQuestions(parseTurnItem(item), turn)).toEqual([]);
  expect(listPendingQuestions(parseTurnItem({ ...item, fence: { N: '2' } }), other)).toEqual([]);
  const untouched = { ...item, fence: { N: '2' }, untouched: { N: '2' } };
  expect(listPendingQuestions(parseTurnItem(untouched), other)).toMatchObject([{ question: 'Why?' }]);
  const posted = { ...untouched, posted: { L: [{ S: '1.5' }] } };
  expect(listPendingQuestions(parseTurnItem(posted), other)).toEqual([]);
  const { ask: _, ...empty } = item;
  expect(listPendingQuestions(parseTurnItem(empty), other)).toEqual([]);
});
