import { beforeEach, expect, test } from '@jest/globals';
import { NO_GUILD, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Erasure, Exports, Facts, RetentionRun } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { ERASE_BY_SCAN } from '../../fakes/tables.ts';
import { TestTime } from '../../upstream/time.ts';

const ADA = { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') } as const;
const GRACE = { ...ADA, user: userId('U2') };
const ELSEWHERE = { ...ADA, workspace: workspaceId('T12') };
const DAY_MS = 86_400_000;

let dynamo: ReturnType<typeof createMemoryDynamo>;
let time: TestTime;
let facts: Facts;

beforeEach(() => {
  dynamo = createMemoryDynamo();
  time = new TestTime();
  let count = 0;
  const createId = () => {
    count += 1;
    return `id${count}`;
  };
  facts = new Facts({ dynamo, table: 'conversations', now: time.now, createId });
});

const textsOf = async (owner: typeof ADA | typeof GRACE | typeof ELSEWHERE, days?: number) =>
  (await facts.list(owner, days)).map(({ text }) => text);
const add = (text: string, owner: Parameters<Facts['list']>[0] = ADA, days?: number) =>
  facts.add(owner, { text, isPrivate: false }, days);

test('each person in each workspace has their own', async () => {
  await add('a');
  await add('b', GRACE);
  await add('c', ELSEWHERE);
  expect([await textsOf(ADA), await textsOf(GRACE), await textsOf(ELSEWHERE)]).toEqual([['a'], ['b'], ['c']]);
});

test('a concurrent change is not lost', async () => {
  await add('a');
  await Promise.all([add('b'), add('c'), facts.remove(ADA, 'id1', undefined)]);
  expect((await textsOf(ADA)).toSorted()).toEqual(['b', 'c']);
});

test('an id of nobody changes nothing; a cleared list begins again', async () => {
  await add('a');
  expect(await facts.edit(ADA, 'other', 'x', undefined)).toEqual({ kind: 'unknown' });
  expect(await facts.edit(GRACE, 'id1', 'x', undefined)).toEqual({ kind: 'unknown' });
  await facts.remove(GRACE, 'id1', undefined);
  expect(await textsOf(ADA)).toEqual(['a']);
  await facts.clear(ADA);
  await facts.clear(ADA);
  expect(dynamo.items('conversations')).toEqual([]);
  expect(await add('b')).toMatchObject({ kind: 'stored', fact: { id: 'id2' } });
});

test('with a retention, a fact ends so many days after it was learned or changed', async () => {
  await add('a', ADA, 2);
  await add('b', ADA, 2);
  time.advance(DAY_MS);
  await facts.edit(ADA, 'id2', 'B', 2);
  const [item] = dynamo.items('conversations');
  expect(Number(item?.['ttl']?.N)).toBe(Math.floor((time.now() + 2 * DAY_MS) / 1_000));
  time.advance(DAY_MS);
  expect(await textsOf(ADA, 2)).toEqual(['B']);
  expect(await textsOf(ADA)).toEqual(['a', 'B']);
  // The next change removes it, and without a retention nothing expires.
  await facts.remove(ADA, 'id1', 2);
  await add('c', ADA);
  expect(dynamo.items('conversations')[0]?.['ttl']).toBeUndefined();
});

test('a retention that is set later gives what is stored an expiry', async () => {
  await add('a');
  await add('b', ELSEWHERE);
  const scan = async () => ({ Items: dynamo.items('conversations') });
  const run = new RetentionRun({ dynamo, scan, table: 'conversations' });
  const apply = (days: number) => run.page(ADA, undefined, () => Promise.resolve(days));
  const ttls = () => new Set(dynamo.items('conversations').map(({ ttl }) => ttl?.N));
  const at = Math.floor(time.now() / 1_000);
  await apply(3);
  expect(ttls()).toEqual(new Set([String(at + 3 * 86_400), undefined]));
  await apply(5);
  await apply(1);
  expect(ttls()).toEqual(new Set([String(at + 86_400), undefined]));
});

test('export contains them, and the erasure of the person or the workspace deletes them', async () => {
  await add('a secret of ada');
  await add('b', GRACE);
  await add('c', ELSEWHERE);
  const scan = async () => ({ Items: dynamo.items('conversations') });
  const all = { ...ERASE_BY_SCAN, dynamo, scan, table: 'conversations', now: time.now };
  const { entries } = await new Exports(all).page(ADA);
  expect(entries).toEqual([
    expect.objectContaining({ facts: [expect.objectContaining({ text: 'a secret of ada' })] }),
  ]);
  const erasure = new Erasure(all);
  const hooks = { eraseJobs: () => Promise.resolve() };
  await erasure.page(ADA, undefined, hooks);
  expect([await textsOf(ADA), await textsOf(GRACE), await textsOf(ELSEWHERE)]).toEqual([[], ['b'], ['c']]);
  await erasure.page({ platform: 'slack', workspace: ADA.workspace }, undefined, hooks);
  expect([await textsOf(GRACE), await textsOf(ELSEWHERE)]).toEqual([[], ['c']]);
});

test('the person index leads to them, also in direct chats of Discord', async () => {
  const direct = { platform: 'discord', workspace: workspaceId(NO_GUILD), user: userId('41') } as const;
  await facts.add(direct, { text: 'a', isPrivate: true }, undefined);
  const all = {
    ...ERASE_BY_SCAN,
    dynamo,
    scan: () => Promise.reject(new Error('scanned')),
    table: 'conversations',
  };
  const erasure = new Erasure({ ...all, now: time.now, isIndexComplete: () => Promise.resolve(true) });
  await erasure.page(direct, undefined, { eraseJobs: () => Promise.resolve() });
  expect(dynamo.items('conversations')).toEqual([]);
});
