import { expect, test } from '@jest/globals';
import {
  BudgetPolicies,
  type Dynamo,
  Jobs,
  Ledger,
  type NewJob,
  Posts,
} from '../../../shared/storage/index.ts';
import { ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../../shared/billing/budgets/index.ts';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { TURN } from '../../chat/completion-harness.ts';

const NAME = 'ACCOUNT#slack#T1';

const PERSON = { platform: 'slack', workspace: TURN.thread.workspace, user: userId('U1') } as const;

const newJob = (due: number, nth = 0): NewJob => ({
  by: PERSON,
  thread: TURN.thread,
  state: 'requested',
  requestMessage: messageId('1.1'),
  prompt: `waves ${nth}`,
  model: 'model-a-video',
  price: '0.35',
  locale: 'de',
  picture: { id: 'F1', name: 'sea.png', mimetype: 'image/png', bytes: 10 },
  key: `key-${nth}`,
  due,
});

/** A table that returns one item per query, and counts single reads. */
function slowTable() {
  const memory = createMemoryDynamo();
  const counts = { gets: 0, fails: 0 };
  const dynamo: Dynamo = {
    ...memory,
    get: (input) => {
      counts.gets += 1;
      return memory.get(input);
    },
    update: (input) => {
      counts.fails -= 1;
      return counts.fails >= 0 ? Promise.reject(new Error('the table is away')) : memory.update(input);
    },
    query: (input) => memory.query({ ...input, Limit: 1 }),
  };
  const clock = { now: 1_700_000_000_000 };
  return { counts, clock, store: { dynamo, table: 'conversations', days: 30, now: () => clock.now } };
}

test('a policy that cannot be read does not count as one without budgets, and is not overwritten', async () => {
  const { store } = slowTable();
  const { dynamo, table: TableName } = store;
  const key = { pk: { S: NAME }, sk: { S: 'RULES' } };
  const policies = new BudgetPolicies(store);
  await policies.change(NAME, () => ({ ...EMPTY_POLICY, blocked: ['U9'] }));
  const book = { S: '{"rules":' };
  await dynamo.put({ TableName, Item: { ...key, book, rev: { N: '1' } } });
  const unreadable = `The budgets of ${NAME} cannot be read.`;
  await expect(policies.get(NAME)).rejects.toThrow(unreadable);
  await expect(policies.change(NAME, (policy) => policy)).rejects.toThrow(unreadable);
  expect((await dynamo.get({ TableName, Key: key })).Item).toMatchObject({ book, rev: { N: '1' } });
});

test('a policy is read once in half a minute, and again after a change', async () => {
  const { counts, clock, store } = slowTable();
  const books = new BudgetPolicies(store);
  for (let n = 0; n < 5; n += 1) expect(await books.get(NAME)).toEqual(EMPTY_POLICY);
  expect(counts.gets).toBe(1);
  clock.now += 30_001;
  await books.get(NAME);
  expect(counts.gets).toBe(2);
  await books.change(NAME, (book) => ({ ...book, blocked: ['U1'] }));
  expect((await books.get(NAME)).blocked).toEqual(['U1']);
});

test('a change that the table rejects is not retried', async () => {
  const { counts, store } = slowTable();
  counts.fails = 1;
  await expect(new BudgetPolicies(store).change(NAME, (book) => book)).rejects.toThrow('the table is away');
});

test('all accounts are listed over several pages, up to the limit', async () => {
  const { store } = slowTable();
  const ledger = new Ledger(store);
  for (const day of [1, 2, 3, 4]) {
    const key = { partition: NAME, account: `D#2026-11-0${day}#person#U1` };
    const reserved = await ledger.reserve(key, {
      id: 'm',
      atto: ATTO_PER_DOLLAR,
      limit: {},
      untilMs: store.now() + 60_000,
    });
    expect(reserved).toMatchObject({ reserved: true, counters: { atto: ATTO_PER_DOLLAR, requests: 1 } });
  }
  const list = async (limit: number) =>
    (await ledger.list(NAME, 'D#2026-11-01', 'D#2026-11-03#~', limit)).length;
  expect([await list(100), await list(2)]).toEqual([3, 2]);
});

test('all jobs of a person are found over several pages', async () => {
  const { clock, store } = slowTable();
  const jobs = new Jobs(store);
  for (const n of [1, 2, 3]) {
    await jobs.create(`press-${n}`, newJob(clock.now, n));
  }
  const listed = await jobs.listByPerson(PERSON, 9);
  expect(new Set(listed.map(({ prompt }) => prompt))).toEqual(new Set(['waves 1', 'waves 2', 'waves 3']));
  expect(listed.map(({ locale }) => locale)).toEqual(['de', 'de', 'de']);
});

test('a recent write is found although eventually consistent reads lag behind', async () => {
  const memory = createMemoryDynamo();
  const dynamo: Dynamo = {
    ...memory,
    get: (input) => (input.ConsistentRead === true ? memory.get(input) : Promise.resolve({})),
  };
  const store = { dynamo, table: 'conversations', days: 30, now: () => 1_700_000_000_000 };
  const place = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
  const posts = new Posts(store);
  await posts.begin(place, 'wish');
  await posts.savePosted(place, 'wish', messageId('5.1'));
  expect(await posts.begin(place, 'wish')).toMatchObject({ message: '5.1' });
  const job = await new Jobs(store).create('press', newJob(store.now()));
  expect(await new Jobs(store).find(job.id)).toEqual(job);
});
