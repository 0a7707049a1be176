import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  NO_GUILD,
  type Thread,
  userId,
  type UserId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { Erasure, Exports, Ratings, RetentionRun, Turns } from '../../../shared/storage/index.ts';
import { ERASE_BY_SCAN, startTables } from '../../fakes/tables.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());

const NOW_S = 1_790_000_000;
const DAY_S = 86_400;
const [ADA, GRACE, LIN] = [userId('U1'), userId('U2'), userId('U3')];
const WORKSPACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
const LEAVING = { eraseJobs: () => Promise.resolve() };

let now = NOW_S * 1_000;
/** Each test has a workspace of its own. */
let nth = 0;
beforeEach(() => {
  nth += 1;
  now = NOW_S * 1_000;
});

function harness() {
  const { dynamo, client } = tables;
  const store = { dynamo, table: 'conversations', days: 30, now: () => now };
  const of = { ...WORKSPACE, workspace: workspaceId(`T${nth}`) };
  const turns = new Turns(store);
  const ratings = new Ratings(store);
  const scan = (input: Parameters<typeof client.scan>[0]) => client.scan(input);
  const threadOf = (root: string, channel: string): Thread => ({
    ...of,
    channel: channelId(channel),
    root: messageId(root),
  });
  /** An answered question of this person, this many days old. */
  const answered = async (
    daysAgo: number,
    { by = ADA, channel = 'C1', model = 'big', fraction = '000100' } = {},
  ) => {
    const message = messageId(`${NOW_S - daysAgo * DAY_S}.${fraction}`);
    const thread = threadOf(message, channel);
    const turn = { thread, message, asker: by, askerWorkspace: of.workspace };
    await turns.accept(turn, 'Why?', []);
    const claim = await turns.claim(turn, 60_000);
    if (claim.kind !== 'held') throw new Error('not claimed');
    await turns.savePosted(turn, claim.fence, [messageId(`${message}9`)]);
    const outcome = { kind: 'answered', text: 'So.', finish: 'stop', model } as const;
    await turns.commit(
      turn,
      claim.fence,
      { message, question: 'Why?', outcome },
      { from: 'TURN#', number: 1 },
    );
    return turn;
  };
  const list = (since = 0, limit = 100) => ratings.list(of, since, limit);
  const left = async () => {
    const { Items = [] } = await client.scan({ TableName: 'conversations' });
    return Items.filter(({ pk }) => pk?.S?.startsWith(`FEEDBACK#slack#${of.workspace}`)).length;
  };
  const erasure = new Erasure({ ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations' });
  return { dynamo, client, store, of, turns, ratings, scan, answered, list, left, erasure };
}

test('ratings are listed with the newest questions first, without names', async () => {
  const { ratings, answered, list, of } = harness();
  const old = await answered(10);
  const young = await answered(1, { channel: 'C2', model: 'small' });
  expect(await ratings.rate(old, GRACE, false)).toEqual({
    model: 'big',
    listed: true,
    asker: expect.any(String),
  });
  expect(await ratings.comment(old, GRACE, 'It was wrong.')).toBe(true);
  await ratings.rate(young, ADA, true);
  const all = await list();
  expect(all).toEqual([
    expect.objectContaining({
      message: young.message,
      model: 'small',
      good: true,
      text: undefined,
      answer: `${young.message}9`,
    }),
    expect.objectContaining({ message: old.message, model: 'big', good: false, text: 'It was wrong.' }),
  ]);
  expect(all[0]?.thread).toEqual({ ...of, channel: 'C2', root: young.message });
  expect(all[0]?.askedAt).toBe(Number(young.message) * 1_000);
  expect(JSON.stringify(all)).not.toContain('U2');
  expect(await list((NOW_S - 5 * DAY_S) * 1_000)).toHaveLength(1);
  expect(await list(0, 1)).toHaveLength(1);
});

test('a person has one rating per answer; a good one deletes the comment on a bad one', async () => {
  const { ratings, answered, list } = harness();
  const turn = await answered(1);
  await ratings.rate(turn, GRACE, false);
  await ratings.comment(turn, GRACE, 'No.');
  await ratings.rate(turn, GRACE, false);
  expect(await list()).toMatchObject([{ good: false, text: 'No.' }]);
  await ratings.rate(turn, GRACE, true);
  expect(await list()).toMatchObject([{ good: true, text: undefined }]);
  await ratings.rate(turn, LIN, false);
  expect(await list()).toHaveLength(2);
});

test('a missing answer cannot be rated, and an unrated one not commented', async () => {
  const { ratings, answered, turns, list, of } = harness();
  const turn = await answered(1);
  const waiting = { ...turn, message: messageId(`${NOW_S}.000200`) };
  await turns.accept(waiting, 'Why?', []);
  expect(await ratings.rate(waiting, GRACE, true)).toBeUndefined();
  // No pointer leads from them to it.
  const { Items = [] } = await tables.client.scan({ TableName: 'conversations' });
  expect(Items.filter(({ pk, by }) => pk?.S?.includes(`#${of.workspace}#`) && by?.S === GRACE)).toEqual([]);
  expect(await ratings.rate({ ...turn, message: messageId('1.1') }, GRACE, true)).toBeUndefined();
  expect(await ratings.rate(turn, userId('U 2'), true)).toBeUndefined();
  expect(await ratings.comment(turn, GRACE, 'No.')).toBe(false);
  expect(await list()).toEqual([]);
  expect(of.workspace).not.toBe(NO_GUILD);
});

test('a rating expires with its turn', async () => {
  const { ratings, answered, list } = harness();
  const turn = await answered(0);
  now += 29 * DAY_S * 1_000;
  await ratings.rate(turn, GRACE, false);
  expect(await list()).toHaveLength(1);
  now += 2 * DAY_S * 1_000;
  expect(await list()).toEqual([]);
  expect(await ratings.rate(turn, GRACE, true)).toBeUndefined();
});

test('a rating is deleted with its turn, and with the content of its turn', async () => {
  const { ratings, answered, turns, left } = harness();
  const removed = await answered(1);
  const emptied = await answered(2);
  for (const turn of [removed, emptied]) for (const by of [ADA, GRACE]) await ratings.rate(turn, by, false);
  expect(await left()).toBe(4);
  const fenceOf = async (turn: typeof removed) => {
    const claim = await turns.claim(turn, 60_000);
    return 'fence' in claim ? claim.fence : 0;
  };
  await turns.remove(removed, await fenceOf(removed));
  expect(await left()).toBe(2);
  await turns.removeContent(emptied, await fenceOf(emptied), now);
  expect(await left()).toBe(0);
});

async function eraseAll(erasure: Erasure, scope: Parameters<Erasure['page']>[0]) {
  let from: string | undefined;
  do from = (await erasure.page(scope, from, LEAVING)).next;
  while (from !== undefined);
}

test.each([
  ['its rater is erased', { user: GRACE }, 1],
  ['the asker is erased', { user: ADA }, 0],
  ['the workspace removes the app', {}, 0],
])('a rating is erased when %s', async (_, scope, rest) => {
  const { ratings, answered, left, erasure, of } = harness();
  const turn = await answered(1);
  for (const by of [GRACE, LIN]) await ratings.rate(turn, by, false);
  await eraseAll(erasure, { ...of, ...scope });
  expect(await left()).toBe(rest);
});

test('a rating is erased with its thread', async () => {
  const { ratings, answered, left, erasure } = harness();
  const [turn, other] = [await answered(1), await answered(2)];
  for (const one of [turn, other]) await ratings.rate(one, GRACE, false);
  await erasure.threadPage(turn.thread, ADA, undefined, LEAVING);
  expect(await left()).toBe(1);
});

test('a shorter retention shortens a rating as its turn', async () => {
  const { ratings, answered, list, dynamo, scan, of } = harness();
  const [near, far] = [await answered(1), await answered(5, { channel: 'C2' })];
  for (const turn of [near, far]) await ratings.rate(turn, GRACE, false);
  const shortening = new RetentionRun({ dynamo, scan, table: 'conversations' });
  let from: string | undefined;
  do from = (await shortening.page(of, from, async ({ channel }) => (channel === 'C2' ? 3 : 20))).next;
  while (from !== undefined);
  expect(await list()).toMatchObject([{ message: near.message }]);
});

test('a rating with its comment is in the export of the rater only', async () => {
  const { ratings, answered, dynamo, scan, of } = harness();
  const turn = await answered(1);
  await ratings.rate(turn, GRACE, false);
  await ratings.comment(turn, GRACE, 'It was wrong.');
  const exports = new Exports({ ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations', now: () => now });
  const exported = async (user: UserId) => {
    const entries: unknown[] = [];
    let from: string | undefined;
    do {
      const page = await exports.page({ ...of, user }, from);
      entries.push(...page.entries);
      from = page.next;
    } while (from !== undefined);
    return entries;
  };
  expect(await exported(GRACE)).toContainEqual(
    expect.objectContaining({
      in: `FEEDBACK#slack#${of.workspace}`,
      good: 0,
      model: 'big',
      text: 'It was wrong.',
    }),
  );
  expect(JSON.stringify(await exported(ADA))).not.toContain('It was wrong.');
});
