import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOperatorCall, type OperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { runRestore } from '../../../../infra/parley/restore/restore-command.ts';
import { restoreTable } from '../../../../infra/parley/restore/restore-table.ts';
import { SILENT_TERMINAL } from '../../../../infra/parley/terminal.ts';
import { channelId, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { type Schedule, Schedules } from '../../../../shared/storage/index.ts';
import { createTestTable, startTables } from '../../../fakes/tables.ts';
import { NO_AWS } from '../fake-aws.ts';

const NOW = 1_700_000_000_000;
let tables: Awaited<ReturnType<typeof startTables>>;
let call: OperatorCall;

const item = (pk: string, sk: string, words: string, ttl = NOW / 1000 + 60) => ({
  pk: { S: pk },
  sk: { S: sk },
  words: { S: words },
  ttl: { N: String(ttl) },
});
const wordsIn = async (table: string) => {
  const { Items = [] } = await tables.client.scan({ TableName: table });
  return Items.map(({ words }) => words?.S ?? '').toSorted();
};

beforeAll(async () => {
  tables = await startTables();
  const { client } = tables;
  call = await openTables(client);
  await createTestTable(client, {
    TableName: 'before',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  });
  const put = (TableName: string, Item: ReturnType<typeof item>) => client.putItem({ TableName, Item });
  await put('before', item('slack#T1#C1#1', 'TURN#1', 'changed since'));
  const unfinished = { open: { S: 'unsent' }, due: { N: '1' }, turn: { B: new Uint8Array([0, 255, 7]) } };
  await client.putItem({
    TableName: 'before',
    Item: { ...item('slack#T1#C1#1', 'TURN#2', 'lost'), ...unfinished },
  });
  await put('before', item('slack#T1#C1#1', 'TURN#3', 'expired', NOW / 1000 - 1));
  await put('before', item('slack#T2#C1#1', 'TURN#1', 'lost elsewhere'));
  await put('conversations', item('slack#T1#C1#1', 'TURN#1', 'as it is now'));
});
afterAll(() => tables.close());

/** A call to the same tables as the client. */
async function openTables({ config }: (typeof tables)['client']): Promise<OperatorCall> {
  const [credentials, endpoint] = [await config.credentials(), await config.endpoint?.()];
  if (endpoint === undefined) throw new Error('the client has no endpoint');
  const { protocol, hostname, port } = endpoint;
  return createOperatorCall(
    { credentials, region: 'local', endpoint: `${protocol}//${hostname}:${port}` },
    { unreachable: 'Nothing is there.' },
  );
}

test('the command counts first, then copies missing items, and leaves existing and expired ones', async () => {
  const { client } = tables;
  const all = { from: 'before', to: 'conversations', now: NOW };
  expect(await restoreTable({ ...all, write: false }, call)).toEqual({ read: 4, missing: 2 });
  expect(await wordsIn('conversations')).toEqual(['as it is now']);

  const one = await restoreTable({ ...all, only: 'slack#T1', write: true }, call);
  expect(one).toEqual({ read: 3, missing: 1 });
  expect(await wordsIn('conversations')).toEqual(['as it is now', 'lost']);

  expect(await restoreTable({ ...all, write: true }, call)).toEqual({ read: 4, missing: 1 });
  expect(await restoreTable({ ...all, write: true }, call)).toEqual({ read: 4, missing: 0 });
  expect(await wordsIn('conversations')).toEqual(['as it is now', 'lost', 'lost elsewhere']);
  const Key = { pk: { S: 'slack#T1#C1#1' }, sk: { S: 'TURN#2' } };
  const { Item } = await client.getItem({ TableName: 'conversations', Key });
  expect(Item).not.toHaveProperty('open');
  // Binary values, such as compressed answers, are copied as they are.
  expect(Item).toMatchObject({ turn: { B: new Uint8Array([0, 255, 7]) } });
});

test.each([
  ['a table that does not exist', { from: 'elsewhere', to: 'conversations' }, 'There is no table elsewhere'],
  ['a target that does not exist', { from: 'before', to: 'nowhere' }, 'There is no table nowhere'],
  ['another table', { from: 'tokens', to: 'conversations' }, 'tokens is not a copy of the conversations'],
])('it names %s', async (_, from, message) => {
  await tables.client.putItem({ TableName: 'tokens', Item: { pk: { S: 'LIMIT#x' } } });
  await expect(restoreTable({ ...from, write: true, now: NOW }, call)).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining(message),
  });
});

test('each page tells what was done so far', async () => {
  const seen: unknown[] = [];
  const options = { from: 'before', to: 'conversations', now: NOW, write: false };
  await restoreTable(options, call, (result) => void seen.push(result));
  expect(seen).toEqual([{ read: 4, missing: expect.any(Number) }]);
});

test('restored schedules run and are listed as before; a paused one stays paused', async () => {
  const storeOf = (table: string) => new Schedules({ dynamo: tables.dynamo, table, now: () => NOW });
  const place = { platform: 'slack', workspace: workspaceId('T9') } as const;
  const running: Schedule = {
    ...place,
    id: 'running',
    content: { kind: 'prompt', prompt: 'News?' },
    by: userId('U1'),
    channel: channelId('C1'),
    recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' },
    locale: 'en',
    dueMs: NOW - 60_000,
    failures: 1,
  };
  const paused = { ...running, id: 'paused', isPaused: true };
  for (const schedule of [running, paused]) await storeOf('before').save(schedule);

  const lost = { from: 'before', to: 'conversations', only: 'slack#T9', write: true, now: NOW };
  expect(await restoreTable(lost, call)).toEqual({ read: 2, missing: 2 });
  const restored = storeOf('conversations');
  expect(await restored.list(place)).toEqual([paused, running]);
  expect(await restored.listDue(10)).toEqual([running]);
});

test('a table is not restored from itself', async () => {
  await expect(runRestore({ from: 'a', to: 'a', write: true }, SILENT_TERMINAL)).rejects.toThrow(
    'the same table',
  );
  const terminal = { ...SILENT_TERMINAL, env: NO_AWS };
  await expect(runRestore({ from: 'a', to: 'b', write: true }, terminal)).rejects.toThrow(
    'There are no AWS credentials',
  );
});
