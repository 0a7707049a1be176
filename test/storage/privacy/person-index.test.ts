import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import {
  Erasure,
  Exports,
  PersonIndex,
  Ratings,
  type TableScan,
  Turns,
  type ErasureScope,
} from '../../../shared/storage/index.ts';
import { decompressTurn, decompressJson } from '../../../shared/storage/dynamodb/turn-compression.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../../fakes/dynamo.ts';
import { copyOf, makeHistory, NOW, PEOPLE, randomOf } from '../person-history.ts';

const table = 'conversations';
const now = () => NOW;
const scanOf =
  (dynamo: MemoryDynamo): TableScan =>
  async () => ({ Items: dynamo.items(table) });
const noScan: TableScan = () => Promise.reject(new Error('the table was read through'));
const not = () => Promise.resolve(false);
const yes = () => Promise.resolve(true);

type Scope = ErasureScope & { readonly user: ReturnType<typeof userId> };

async function erase(erasure: Erasure, scope: Scope): Promise<number> {
  let from: string | undefined;
  let erased = 0;
  do {
    const page = await erasure.page(scope, from, { eraseJobs: async () => undefined });
    erased += page.erased;
    from = page.next;
  } while (from !== undefined);
  return erased;
}

async function exported(exports: Exports, scope: Scope): Promise<string[]> {
  const entries: string[] = [];
  let from: string | undefined;
  do {
    const page = await exports.page(scope, from);
    entries.push(...page.entries.map((one) => JSON.stringify(one)));
    from = page.next;
  } while (from !== undefined);
  return entries.toSorted();
}

/** The items without their pointers. */
const contents = (dynamo: MemoryDynamo): string[] =>
  dynamo
    .items(table)
    .filter(({ sk, pk }) => !sk?.S?.startsWith('POINTER#') && pk?.S !== 'SCAN')
    .map((item) =>
      JSON.stringify(
        Object.entries(item)
          .map(([name, value]) => [name, value.B ? unpackAny(value.B) : value] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
    .toSorted();

function unpackAny(bytes: Uint8Array): unknown {
  try {
    return decompressTurn(bytes);
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
}

async function filled(dynamo: MemoryDynamo): Promise<void> {
  const index = new PersonIndex({ dynamo, table, now });
  await index.plan(NOW - 1);
  const { next } = await index.fill(scanOf(dynamo), undefined);
  await index.save(0, 1, next);
  expect(await index.isComplete()).toBe(true);
}

const HISTORIES = Number(process.env['PARLEY_HISTORIES'] ?? 20);

test.each(['when it exists from the first item on', 'after the earlier items were added'])(
  'the index finds the same items as a full scan: %s',
  async (how) => {
    let compared = 0;
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const random = randomOf(seed);
      const database = createMemoryDynamo();
      await makeHistory(database, 60, random);
      // An earlier version stored no pointers, and no drafts of several people's text.
      const old = how.startsWith('after') ? await copyOf(database, isOld) : database;
      const user = PEOPLE[random(PEOPLE.length)] ?? userId('41');
      const scopes: readonly Scope[] = [
        { platform: 'slack', workspace: workspaceId('T1'), user },
        { platform: 'discord', workspace: workspaceId('21'), user },
        { platform: 'discord', workspace: workspaceId('@me'), user },
        { platform: 'discord', user },
      ];
      for (const scope of scopes) {
        const [one, other] = [await copyOf(old), await copyOf(old)];
        if (how.startsWith('after')) await filled(other);
        const byScan = { dynamo: one, scan: scanOf(one), table, now, isIndexComplete: not };
        const byIndex = { dynamo: other, scan: noScan, table, now, isIndexComplete: yes };
        const at = `seed ${seed}, ${scope.platform} ${scope.workspace ?? 'everywhere'}`;
        // Nobody may read the data of a person in all workspaces.
        const isShown = scope.workspace !== undefined;
        const [expected, same] = isShown
          ? [await exported(new Exports(byScan), scope), await exported(new Exports(byIndex), scope)]
          : [[], []];
        expect([at, same]).toEqual([at, expected]);
        compared += expected.length;
        const erased = await erase(new Erasure(byScan), scope);
        expect([at, await erase(new Erasure(byIndex), scope)]).toEqual([at, erased]);
        expect([at, contents(other)]).toEqual([at, contents(one)]);
        // No pointer leads from this person to this place any more.
        const left = other.items(table).filter(({ by, pk }) => by?.S === user && isThere(pk?.S ?? '', scope));
        expect(left).toEqual([]);
        const isFilled = old !== database;
        expect([at, nameless(scope, one), isFilled ? nameless(scope, other) : []]).toEqual([at, [], []]);
        expect([at, spokenBy(user, scope, other), spokenBy(user, scope, one)]).toEqual([at, [], []]);
        compared += erased;
      }
    }
    expect(compared).toBeGreaterThan(HISTORIES * 10);
  },
);

const textsOf = (scope: Scope, dynamo: MemoryDynamo): string[] =>
  dynamo
    .items(table)
    .filter(({ pk }) => isThere(pk?.S ?? '', scope))
    .map((item) => JSON.stringify([item, item['body']?.B && decompressJson(item['body'].B)]));

/** Items with text whose author is unknown. */
const nameless = (scope: Scope, dynamo: MemoryDynamo): string[] =>
  textsOf(scope, dynamo).filter((text) => text.includes('"before"'));

/** The other items with text of this person in that place. */
const spokenBy = (user: string, scope: Scope, dynamo: MemoryDynamo): string[] =>
  textsOf(scope, dynamo).filter(
    (text) => !text.includes('"before"') && new RegExp(`Said by (?:.. and )?${user}`, 'u').test(text),
  );

const isOld = (sk: string): boolean => !sk.startsWith('POINTER#') || sk.startsWith('POINTER#DRAFT#');

const isThere = (pk: string, { platform, workspace }: Scope): boolean =>
  `#${pk}#`.includes(workspace === undefined ? `#${platform}#` : `#${platform}#${workspace}#`);

const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1789900000.000100'),
} as const;
const turnOf = (id: string, user: string) => ({
  thread: THREAD,
  message: messageId(id),
  asker: userId(user),
  askerWorkspace: THREAD.workspace,
});
const ENDING = { kind: 'failed', reason: 'none', text: 'None.' } as const;
const WHOSE: Scope = { platform: 'slack', workspace: THREAD.workspace, user: userId('41') };

test("the cost depends on the person's data, not on the size of the table", async () => {
  const costs: number[] = [];
  for (const others of [0, 2_000]) {
    const dynamo = createMemoryDynamo();
    const turns = new Turns({ dynamo, table, days: 30, now });
    for (let n = 0; n < 5; n += 1)
      await turns.accept(turnOf(`${1_789_900_000 + n}.000100`, '41'), 'Why?', []);
    for (let n = 0; n < others; n += 1) {
      const turn = turnOf(`${1_789_900_000 + n}.000200`, '42');
      await turns.accept({ ...turn, thread: { ...THREAD, root: turn.message } }, 'Why?', []);
    }
    let read = 0;
    const metered = {
      ...dynamo,
      get: async (input: Parameters<typeof dynamo.get>[0]) => ((read += 1), dynamo.get(input)),
      query: async (input: Parameters<typeof dynamo.query>[0]) => {
        const page = await dynamo.query(input);
        read += page.Items?.length ?? 0;
        return page;
      },
    };
    const config = { dynamo: metered, scan: noScan, table, now, isIndexComplete: yes };
    expect((await exported(new Exports(config), WHOSE)).length).toBe(5);
    expect(await erase(new Erasure(config), WHOSE)).toBe(5);
    costs.push(read);
  }
  expect(costs[1]).toBe(costs[0]);
});

test('erasure waits for a question that is being answered with others, and removes it from their turn', async () => {
  const dynamo = createMemoryDynamo();
  const store = { dynamo, table, days: 30, now };
  const turns = new Turns(store);
  const [first, along] = [turnOf('1789900001.000100', '42'), turnOf('1789900002.000100', '41')];
  await turns.accept(first, 'Of Grace?', []);
  await turns.accept(along, 'Of Ada?', []);
  const claim = await turns.claim(first, 60_000);
  if (claim.kind !== 'held') throw new Error('not claimed');
  const erasure = new Erasure({ dynamo, scan: noScan, table, now, isIndexComplete: yes });
  const leaving = { eraseJobs: async () => undefined };
  const one = await erasure.page(WHOSE, undefined, leaving);
  expect([one.erased, one.next === undefined]).toEqual([0, false]);
  const mergedQuestions = [{ message: along.message, question: 'Of Ada?' }];
  const whole = { message: first.message, question: 'Of Grace?', mergedQuestions, outcome: ENDING };
  await turns.commit(first, claim.fence, whole, { from: 'TURN#', number: 1 });
  // The worker may die before it updates the record of the other question.
  const two = await erasure.page(WHOSE, one.next, leaving);
  expect(two.erased).toBe(1);
  const body = dynamo.items(table).find(({ id }) => id?.S === first.message)?.['body']?.B;
  const content = decompressTurn(body ?? new Uint8Array());
  expect([content.question, content.mergedQuestions]).toEqual(['Of Grace?', undefined]);
});

test('data that is stored during an erasure is erased too', async () => {
  const dynamo = createMemoryDynamo();
  const turns = new Turns({ dynamo, table, days: 30, now });
  await turns.accept(turnOf('1789900001.000100', '41'), 'Before?', []);
  const erasure = new Erasure({ dynamo, scan: noScan, table, now, isIndexComplete: yes });
  const leaving = { eraseJobs: async () => undefined };
  const one = await erasure.page(WHOSE, undefined, leaving);
  // The index may lag behind the table.
  expect(one.pauseMs).toBe(5_000);
  expect(one.next).toBeDefined();
  await turns.accept(turnOf('1789900002.000100', '41'), 'Meanwhile?', []);
  const two = await erasure.page(WHOSE, one.next, leaving);
  expect([one.erased, two.erased]).toEqual([1, 1]);
  const three = await erasure.page(WHOSE, two.next, leaving);
  expect([three.erased, three.next]).toEqual([0, undefined]);
  expect(dynamo.items(table)).toEqual([]);
});

test('a rating is found as long as its answer is kept, also after it was answered again', async () => {
  const dynamo = createMemoryDynamo();
  let at = NOW;
  const store = { dynamo, table, days: 30, now: () => at };
  const [turns, ratings] = [new Turns(store), new Ratings(store)];
  const turn = turnOf('1789900001.000100', '42');
  await turns.accept(turn, 'Why?', []);
  const claim = await turns.claim(turn, 60_000);
  if (claim.kind !== 'held') throw new Error('not claimed');
  const words = { message: turn.message, question: 'Why?', outcome: ENDING };
  await turns.commit(turn, claim.fence, words, { from: 'TURN#', number: 1 });
  await ratings.rate(turn, userId('41'), true);
  at += 20 * 86_400_000;
  await turns.rewrite(turn, claim.fence, words, { from: 'TURN#', number: 1 }, 'again', at);
  const items = dynamo.items(table);
  const ttl = (start: string) => Number(items.find(({ sk }) => sk?.S?.startsWith(start))?.['ttl']?.N);
  expect(ttl('POINTER#')).toBe(ttl('TURN#'));
  // The pointers of a turn are deleted with it.
  await turns.remove(turn, claim.fence);
  expect(dynamo.items(table)).toEqual([]);
});

test.each([
  ['with the index', yes, '41'],
  ['with the index', yes, '42'],
  ['with a scan', not, '42'],
])(
  'an export %s has the earlier messages and pictures of a person in a question, and nothing of others',
  async (_, isIndexComplete, asker) => {
    const dynamo = createMemoryDynamo();
    const turns = new Turns({ dynamo, table, days: 30, now });
    const turn = turnOf('1789900001.000100', asker);
    await turns.accept(turn, 'Called', []);
    const claim = await turns.claim(turn, 60_000);
    if (claim.kind !== 'held') throw new Error('not claimed');
    const contextLines = ['41', '43'].map((by) => ({
      by: userId(by),
      author: `Name of ${by}`,
      text: `Said by ${by}`,
      at: NOW,
    }));
    const origin = { author: userId('41'), message: messageId('1789900000.000200') };
    const picture = { id: 'P1', name: 'picture.png', mimetype: 'image/png', bytes: 9 };
    const pictures = asker === '41' ? [] : [{ ...picture, origin }];
    const content = { message: turn.message, question: `Asked by ${asker}`, contextLines, pictures };
    await turns.commit(turn, claim.fence, { ...content, outcome: ENDING }, { from: 'TURN#', number: 1 });
    const config = { dynamo, scan: scanOf(dynamo), table, now, isIndexComplete };
    const entries = await exported(new Exports(config), WHOSE);
    expect(entries).toHaveLength(1);
    expect(JSON.parse(entries[0] ?? '')).toMatchObject({
      body: { contextLines: contextLines.slice(0, 1), ...(pictures.length > 0 && { pictures }) },
    });
    expect(entries.join()).not.toMatch(/43|Asked by 42/u);
  },
);
