import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { restore, run } from '../../../infra/cli/restore.ts';
import { startTables } from '../../fakes/tables.ts';

const NOW = 1_700_000_000_000;
let tables: Awaited<ReturnType<typeof startTables>>;

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
  await client.createTable({
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
  const unfinished = { open: { S: 'unsent' }, due: { N: '1' } };
  await client.putItem({
    TableName: 'before',
    Item: { ...item('slack#T1#C1#1', 'TURN#2', 'lost'), ...unfinished },
  });
  await put('before', item('slack#T1#C1#1', 'TURN#3', 'expired', NOW / 1000 - 1));
  await put('before', item('slack#T2#C1#1', 'TURN#1', 'lost elsewhere'));
  await put('conversations', item('slack#T1#C1#1', 'TURN#1', 'as it is now'));
});
afterAll(() => tables.close());

test('the command counts first, then copies missing items, and leaves existing and expired ones', async () => {
  const { client } = tables;
  const all = { from: 'before', to: 'conversations', now: NOW };
  expect(await restore({ ...all, write: false }, client)).toEqual({ read: 4, missing: 2 });
  expect(await wordsIn('conversations')).toEqual(['as it is now']);

  expect(await restore({ ...all, only: 'slack#T1', write: true }, client)).toEqual({ read: 3, missing: 1 });
  expect(await wordsIn('conversations')).toEqual(['as it is now', 'lost']);

  expect(await restore({ ...all, write: true }, client)).toEqual({ read: 4, missing: 1 });
  expect(await restore({ ...all, write: true }, client)).toEqual({ read: 4, missing: 0 });
  expect(await wordsIn('conversations')).toEqual(['as it is now', 'lost', 'lost elsewhere']);
  const Key = { pk: { S: 'slack#T1#C1#1' }, sk: { S: 'TURN#2' } };
  expect((await client.getItem({ TableName: 'conversations', Key })).Item).not.toHaveProperty('open');
});

test('without both tables the command prints its usage', async () => {
  const lines: string[] = [];
  expect(await run(['--from', 'before'], {}, (text) => void lines.push(text))).toBe(1);
  expect(lines).toEqual([expect.stringContaining('--from RESTORED --to TABLE')]);
});
