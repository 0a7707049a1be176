import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  Erasure,
  Jobs,
  UserLocales,
  Recordings,
  SettingsStore,
  type MessageRemoval,
} from '../../../shared/storage/index.ts';
import { compressTurn, decompressJson } from '../../../shared/storage/dynamodb/turn-compression.ts';
import { ERASE_BY_SCAN, startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const WHOLE = { platform: 'slack', workspace: workspaceId('T1') } as const;

async function keysLeft(client: DynamoDB): Promise<string[]> {
  const { Items = [] } = await client.scan({ TableName: 'conversations' });
  return Items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`).toSorted((a, b) => (a < b ? -1 : 1));
}

async function erased(erasure: Erasure, scope: Parameters<Erasure['page']>[0], takeDown?: MessageRemoval) {
  const jobs: string[] = [];
  let from: string | undefined;
  let count = 0;
  do {
    const forget = async (ids: readonly string[]) => void jobs.push(...ids);
    const page = await erasure.page(scope, from, { deleteMessages: takeDown, eraseJobs: forget });
    count += page.erased;
    from = page.next;
  } while (from !== undefined);
  return { count, jobs };
}

test('a person, then a workspace, is erased completely, and nobody else is', async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const put = (pk: string, sk: string, by?: string) =>
    client.putItem({
      TableName: 'conversations',
      Item: { pk: { S: pk }, sk: { S: sk }, ...(by === undefined ? {} : { by: { S: by } }) },
    });
  const job = `VIDEO#${'a'.repeat(16)}-${'b'.repeat(20)}`;
  const keys = [
    ['INSTALL#slack#T1', 'INSTALL', 'U1'],
    ['slack#T12#C1#1.1', 'TURN#1.1', 'U1'],
    ['discord#T1#C1#1', 'TURN#1', 'U1'],
    ['BOOKMARK#relay', 'SESSION'],
  ] as const;
  const theirs = [
    ['slack#T1#C1#1.1', 'TURN#1.1', 'U1'],
    ['VOICE#slack#T1#C1#1.1', 'F1', 'U1'],
  ] as const;
  const others = [
    ['slack#T1#C1#1.1', 'TURN#1.2', 'U2'],
    ['slack#T1#C1#1.1', job],
    ['SETTINGS#slack#T1', 'LEVEL#workspace'],
    ['OWNKEY#slack#T1', 'KEY'],
  ] as const;
  const all: readonly (readonly [string, string, string?])[] = [...keys, ...theirs, ...others];
  for (const [pk, sk, by] of all) await put(pk, sk, by);
  expect(await erased(erasure, { ...WHOLE, user: userId('U1') })).toEqual({ count: 2, jobs: [] });
  expect(await keysLeft(client)).toHaveLength(keys.length + others.length);
  const whole = await erased(erasure, WHOLE);
  expect(whole.count).toBe(others.length);
  expect(await keysLeft(client)).toEqual(
    keys.map(([pk, sk]) => `${pk} ${sk}`).toSorted((a, b) => (a < b ? -1 : 1)),
  );
  expect(whole.jobs).toEqual([job.slice('VIDEO#'.length)]);
  expect(await erased(erasure, WHOLE)).toEqual({ count: 0, jobs: [] });
});

test('a person can be erased on the whole platform', async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const all = [
    ['discord#@me#31#31', 'TURN#1', '41'],
    ['discord#21#31#c41', 'TURN#2', '41'],
    ['SETTINGS#discord#21', 'LEVEL#person#41', '43'],
    ['SETTINGS#discord#@me#41', 'LEVEL#workspace', ''],
    ['SETTINGS#discord#@me#42', 'LEVEL#workspace', ''],
    ['discord#21#31#5', 'TURN#3', '42'],
    ['slack#T2#31#31', 'TURN#1', '41'],
  ] as const;
  const before = await keysLeft(client);
  for (const [pk, sk, by] of all) {
    await client.putItem({
      TableName: 'conversations',
      // DynamoDB accepts no empty key of an index; dynalite does.
      Item: { pk: { S: pk }, sk: { S: sk }, ...(by && { by: { S: by } }) },
    });
  }
  const jobs = new Jobs({ dynamo, table: 'conversations', days: 30, now: () => 1_000 });
  const by = { platform: 'discord', workspace: workspaceId('21'), user: userId('41') } as const;
  const thread = { ...by, channel: channelId('31'), root: messageId('5') };
  const job = await jobs.create('wish', {
    state: 'proposed',
    by,
    thread,
    requestMessage: thread.root,
    picture: { id: 'f', name: 'sea.png', mimetype: 'image/png', bytes: 1 },
    prompt: 'Waves.',
    model: 'model-v',
    key: 'key',
  });
  const broken = { eraseJobs: () => Promise.reject(new Error('the bucket is out of reach')) };
  await expect(erasure.page({ platform: 'discord', user: by.user }, undefined, broken)).rejects.toThrow(
    'out of reach',
  );
  const forgotten = await erased(erasure, { platform: 'discord', user: by.user });
  expect(forgotten).toEqual({ count: 5, jobs: [job.id] });
  // Its other data and its media have rules of their own.
  await jobs.remove(job);
  const left = await keysLeft(client);
  expect(left.filter((one) => !before.includes(one))).toEqual([
    'SETTINGS#discord#@me#42 LEVEL#workspace',
    'discord#21#31#5 TURN#3',
    'slack#T2#31#31 TURN#1',
  ]);
  // Without a person and a workspace, nothing is erased.
  expect(await erased(erasure, { platform: 'slack' })).toEqual({ count: 0, jobs: [] });
});

test("a person's locale is stored with their last interaction, and erased with them in any workspace", async () => {
  const { client, dynamo } = tables;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const [ada, grace] = [userId('41'), userId('42')];
  const readers = () => new UserLocales({ dynamo, table: 'conversations', now: () => 1_000_000 });
  const one = readers();
  for (const [who, locale] of [
    [ada, 'de'],
    [ada, 'ja'],
    [grace, 'fr'],
  ] as const)
    await one.save(who, locale);
  expect([await readers().find(ada), await readers().find(grace)]).toEqual(['ja', 'fr']);
  await erased(erasure, { platform: 'discord', workspace: workspaceId('21'), user: ada });
  expect([await readers().find(ada), await readers().find(grace)]).toEqual([undefined, 'fr']);
});

test('erasing a person erases chunks of recordings, interaction tokens, their text in other turns and ratings, but no sums', async () => {
  const { client, dynamo } = tables;
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: () => 1_000_000 });
  const thread = {
    platform: 'discord',
    workspace: workspaceId('G1'),
    channel: channelId('C1'),
    root: messageId('c1'),
  } as const;
  const keep = async (message: string, by: string) => {
    const ref = { thread, message: messageId(message), file: 'F1' };
    await recordings.begin(ref, userId(by), thread.workspace);
    await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9, text: 'words', words: [] });
  };
  await keep('11', 'U1');
  await keep('12', 'U2');
  const down: unknown[] = [];
  const takeDown = async (where: unknown, messages: unknown) => void down.push([where, messages]);
  for (const message of ['11', '12'])
    await recordings.addTranscriptMessages({ thread, message: messageId(message), file: 'F1' }, [
      messageId(`card${message}`),
    ]);
  const pk = { S: 'discord#G1#C1#c1' };
  const put = (Item: Record<string, AttributeValue>) => client.putItem({ TableName: 'conversations', Item });
  const mergedQuestions = [
    { message: messageId('22'), question: 'of U1' },
    { message: messageId('23'), question: 'of U3' },
  ];
  const outcome = { kind: 'failed', reason: 'none', text: 'None.' } as const;
  const body = { B: compressTurn({ question: 'of U2', mergedQuestions, outcome }) };
  await put({ pk, sk: sk('21'), id: { S: '21' }, by: { S: 'U2' }, body, fb_U1: { N: '1' } });
  await put({ pk, sk: sk('22'), id: { S: '22' }, by: { S: 'U1' }, into: { S: '21' } });
  await put({ pk, sk: { S: sk('22').S.replace('TURN', 'TICKET') }, token: { S: 'secret' } });
  await put({ pk: { S: 'ACCOUNT#discord#G1' }, sk: { S: 'D#2026-11-21#person#U1' } });
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo,
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  const scope = { platform: 'discord', workspace: workspaceId('G1') } as const;
  await erased(erasure, { ...scope, user: userId('U1') }, takeDown);
  expect(down).toEqual([[thread, ['card11']]]);
  const left = (await keysLeft(client)).filter((key) => key.includes('discord#G1'));
  expect(left).toEqual([
    'ACCOUNT#discord#G1 D#2026-11-21#person#U1',
    'VOICE#discord#G1#C1#12 F1#P#00000',
    `discord#G1#C1#c1 ${sk('21').S}`,
    'discord#G1#C1#c1 VOICE#12#F1',
  ]);
  const Key = { pk, sk: sk('21') };
  const { Item: turn } = await client.getItem({ TableName: 'conversations', Key });
  expect(turn?.['fb_U1']).toBeUndefined();
  // Under the names that earlier versions read.
  expect(decompressJson(turn?.['body']?.B ?? new Uint8Array())).toEqual({
    question: 'of U2',
    folded: [mergedQuestions[1]],
    ending: outcome,
  });

  const leaving = { deleteMessages: takeDown, eraseJobs: () => Promise.resolve() };
  const page = await erasure.threadPage(thread, userId('U1'), undefined, leaving);
  expect(down.slice(1)).toEqual([[thread, ['card12']]]);
  expect([page.erased, page.next]).toEqual([2, undefined]);
  const all = (await keysLeft(client)).filter((key) => key.includes('discord#G1'));
  expect(all).toEqual(['ACCOUNT#discord#G1 D#2026-11-21#person#U1']);
  await erased(erasure, scope);
});

test('continues from page to page after any interruption', async () => {
  const requests: unknown[] = [];
  const pages = [
    { Items: [item('1')], LastEvaluatedKey: item('1') },
    { Items: [], LastEvaluatedKey: item('2') },
    { Items: [item('3')] },
  ];
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo: {
      get: async () => ({}),
      update: async () => ({}),
      delete: async () => undefined,
      query: async () => ({}),
    },
    scan: async ({ ExclusiveStartKey }) => {
      requests.push(ExclusiveStartKey?.['sk']?.S);
      return pages[requests.length - 1] ?? {};
    },
    table: 't',
  });
  expect(await erased(erasure, WHOLE)).toEqual({ count: 2, jobs: [] });
  expect(requests).toEqual([undefined, '1', '2']);
});

const sk = (id: string) => ({ S: `TURN#${id.padStart(20, '0')}` });
const item = (at: string) => ({ pk: { S: 'slack#T1#C1#1.1' }, sk: { S: at } });

test('what an erased person set for others stays without their name, also during concurrent changes', async () => {
  const { client, dynamo } = tables;
  const settings = new SettingsStore({ dynamo, table: 'conversations', now: () => 1 });
  const place = { platform: 'slack', workspace: workspaceId('T7'), user: userId('U2') } as const;
  const set = (by: string, value: number) =>
    settings.change(place, 'workspace', {
      change: { kind: 'value', level: 'workspace', setting: 'temperature', value },
      edit: (layer) => ({ ...layer, values: { temperature: value } }),
      by,
    });
  await set('U1', 1);
  let late = false;
  const erasure = new Erasure({
    ...ERASE_BY_SCAN,
    dynamo: {
      ...dynamo,
      get: (input) => dynamo.get(input),
      query: (input) => dynamo.query(input),
      delete: (input) => dynamo.delete(input),
      update: async (input) => {
        if (!late) await set('U2', 2);
        late = true;
        return dynamo.update(input);
      },
    },
    scan: (input) => client.scan(input),
    table: 'conversations',
  });
  await erased(erasure, { platform: 'slack', workspace: workspaceId('T7'), user: userId('U1') });
  const { layer, log } = await settings.read(place, 'workspace');
  expect(layer.values).toEqual({ temperature: 2 });
  expect(log.map(({ by, to }) => [by, to])).toEqual([
    ['U2', '2'],
    ['', '1'],
  ]);
});
