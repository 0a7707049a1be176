import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { messageId, type Turn, type TurnRef, userId, workspaceId } from '../../shared/domain/index.ts';
import {
  TurnIntake,
  BudgetPolicies,
  Breakers,
  ConditionFailedError,
  FormDrafts,
  type Dynamo,
  Ledger,
  TurnSignals,
  Turns,
} from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { startTables } from '../fakes/tables.ts';
import { TURN } from '../chat/completion-harness.ts';

const T0 = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const PLACE = { from: 'TURN#1.1', number: 1 };

let threads = 0;

/** A question in a thread of its own. */
function newTurn(): TurnRef {
  threads += 1;
  const root = messageId(`${threads}.100000`);
  return { ...TURN, thread: { ...TURN.thread, root }, message: root };
}

const next = (turn: TurnRef, n: number): TurnRef => ({
  ...turn,
  message: messageId(`${Number.parseInt(turn.message, 10)}.${100_000 + n}`),
});

const turnOf = (turn: TurnRef, text = 'Yes.'): Turn => ({
  message: turn.message,
  question: 'Why?',
  outcome: { kind: 'answered', text, finish: 'stop', model: 'model-a' },
});

function storeIn(dynamo: Dynamo) {
  const clock = { now: T0 };
  const store = { dynamo, table: 'conversations', days: 30, now: () => clock.now };
  const turns = new Turns(store);
  const claim = async (turn: TurnRef, takeOver = false): Promise<number> => {
    const turnClaim = await turns.claim(turn, 60_000, takeOver);
    if (turnClaim.kind !== 'held') throw new Error(`the claim is ${turnClaim.kind}`);
    return turnClaim.fence;
  };
  return { clock, store, turns, claim, arrivals: new TurnIntake(store), marks: new TurnSignals(store) };
}

function suite(dynamoOf: () => Dynamo) {
  test('a worker that lost its lease cannot rewrite, empty or remove the turn', async () => {
    const { turns, claim } = storeIn(dynamoOf());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    const old = await claim(turn);
    await turns.commit(turn, old, turnOf(turn), PLACE);
    const current = await claim(turn, true);
    const late = [
      turns.rewrite(turn, old, turnOf(turn, 'No.'), PLACE, 'edit-1', T0),
      turns.removeContent(turn, old, T0),
    ];
    for (const write of late) await expect(write).rejects.toThrow(ConditionFailedError);
    await turns.remove(turn, old);
    expect(await turns.findByMessage(turn.thread, turn.message)).toMatchObject({ content: turnOf(turn) });
    await turns.rewrite(turn, current, turnOf(turn, 'No.'), PLACE, 'edit-1', T0);
    await turns.remove(turn, current);
    expect(await turns.claim(turn, 1)).toEqual({ kind: 'gone' });
  });

  test('a claim lasts to the last millisecond of its lease', async () => {
    const { turns, claim, clock } = storeIn(dynamoOf());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    await claim(turn);
    clock.now += 60_000;
    expect(await turns.claim(turn, 60_000)).toEqual({ kind: 'taken', untilMs: clock.now });
    clock.now += 1;
    expect(await claim(turn)).toBe(2);
  });

  test('an expired turn is not checked', async () => {
    const { turns, clock } = storeIn(dynamoOf());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    await turns.scheduleReconcile(turn, clock.now);
    clock.now += 29 * DAY_MS;
    const due = async () =>
      (await turns.listDue(100)).filter((one) => one.kind === 'turn' && one.turn.message === turn.message);
    expect(await due()).toHaveLength(1);
    clock.now += 2 * DAY_MS;
    expect(await due()).toEqual([]);
  });

  test('a pending question is one that is neither answered, merged, edited nor deleted', async () => {
    const { turns, marks } = storeIn(dynamoOf());
    const first = newTurn();
    const others = [1, 2, 3, 4].map((n) => next(first, n));
    for (const one of [first, ...others]) await turns.accept(one, `Question ${one.message}`, []);
    const [deleted, merged, open, edited] = others;
    if (!deleted || !merged || !open || !edited) throw new Error('four are asked');
    await marks.sendSignal(edited, 'edited');
    await marks.sendSignal(deleted, 'deleted');
    await marks.markMerged(merged, first.message);
    expect(await marks.find(merged.thread, merged.message)).toMatchObject({ mergedInto: first.message });
    const { waiting } = await turns.history(first);
    expect(waiting.map(({ turn }) => turn.message)).toEqual([open.message]);
  });

  test('an answered question is not marked as merged', async () => {
    const { turns, marks, claim } = storeIn(dynamoOf());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    await turns.commit(turn, await claim(turn), turnOf(turn), PLACE);
    await marks.markMerged(turn, messageId('9.9'));
    expect(await turns.claim(turn, 1, true)).toMatchObject({ mergedInto: undefined, ended: turnOf(turn) });
  });

  test('an unsent question does not replace a scheduled reconcile pass', async () => {
    const { turns, arrivals, clock } = storeIn(dynamoOf());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    await turns.scheduleReconcile(turn, clock.now + 5_000);
    await expect(arrivals.markUnsent(turn, 'Why?', [], clock.now)).rejects.toThrow(ConditionFailedError);
    clock.now += 6_000;
    const due = (await turns.listDue(100)).flatMap((one) =>
      one.kind === 'turn' && one.turn.message === turn.message ? [one.reason] : [],
    );
    expect(due).toEqual(['reconcile']);
  });

  test('concurrent changes of budgets are both applied', async () => {
    const { store } = storeIn(dynamoOf());
    const name = `ACCOUNT#${newTurn().message}`;
    const block = (person: string) =>
      new BudgetPolicies(store).change(name, (book) => ({ ...book, blocked: [...book.blocked, person] }));
    await block('U0');
    await Promise.all([block('U1'), block('U2')]);
    expect((await new BudgetPolicies(store).get(name)).blocked.toSorted()).toEqual(['U0', 'U1', 'U2']);
    expect(EMPTY_POLICY.blocked).toEqual([]);
  });

  test('a draft that was changed since it was read is not overwritten', async () => {
    const { store } = storeIn(dynamoOf());
    const drafts = new FormDrafts(store);
    const of = { platform: 'slack', workspace: workspaceId('T1') } as const;
    const id = `draft-${newTurn().message}`;
    await drafts.create(of, { id, by: userId('U1'), name: 'form', frame: '{}', value: '1' });
    const read = await drafts.find(of, id);
    if (!read) throw new Error('it was kept');
    expect(await drafts.change(of, read, { value: '2', sent: false })).toBe(true);
    expect(await drafts.change(of, read, { value: '3', sent: true })).toBe(false);
    expect(await drafts.find(of, id)).toMatchObject({ value: '2', sent: false, revision: 2 });
  });

  test('an expired reservation of a crashed worker is dropped by a reset', async () => {
    const { store, clock } = storeIn(dynamoOf());
    const ledger = new Ledger(store);
    const key = { partition: `ACCOUNT#${newTurn().message}`, account: 'D#2026-11-21#person#U1' };
    const reserve = (id: string) =>
      ledger.reserve(key, { id, atto: ATTO_PER_DOLLAR, limit: {}, untilMs: clock.now + 60_000 });
    await reserve('dead');
    clock.now += 30_000;
    await reserve('alive');
    clock.now += 30_001;
    await ledger.reset(key);
    expect(await ledger.read(key)).toMatchObject({ atto: ATTO_PER_DOLLAR });
  });
}

describe('in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});

/** A table whose eventually consistent reads lack the last write. */
function lagging(): Dynamo {
  const memory = createMemoryDynamo();
  return {
    ...memory,
    get: (input) => (input.ConsistentRead === true ? memory.get(input) : Promise.resolve({})),
    query: async (input) => {
      const { Items = [], ...rest } = await memory.query(input);
      if (input.ConsistentRead === true) return { Items, ...rest };
      return { Items: input.ScanIndexForward === false ? Items.slice(1) : Items.slice(0, -1), ...rest };
    },
  };
}

describe('with lagging eventually consistent reads', () => {
  test('a thread is known as soon as its first question was accepted', async () => {
    const { arrivals, turns } = storeIn(lagging());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    expect(await arrivals.isParticipating(turn.thread)).toBe(true);
  });

  test('the history misses no turn', async () => {
    const { turns, claim } = storeIn(lagging());
    const first = newTurn();
    const all = [first, next(first, 1), next(first, 2)];
    for (const [at, one] of all.entries()) {
      await turns.accept(one, 'Why?', []);
      const { from, number } = await turns.history(one);
      expect(number).toBe(at + 1);
      await turns.commit(one, await claim(one), turnOf(one, `Answer ${at}`), { from, number });
    }
    const { turns: past } = await turns.history(next(first, 3));
    expect(past.map(({ outcome }) => outcome.text)).toEqual(['Answer 0', 'Answer 1', 'Answer 2']);
  });

  test('a claimed turn does not count as gone', async () => {
    const { turns, claim } = storeIn(lagging());
    const turn = newTurn();
    await turns.accept(turn, 'Why?', []);
    await claim(turn);
    expect(await turns.claim(turn, 60_000)).toMatchObject({ kind: 'taken' });
  });
});

/**
 * A model at capacity, and two processes that know it. `between` runs between the read and the write of the first.
 */
async function fullModel(retryAfterMs?: number) {
  const memory = createMemoryDynamo();
  const clock = { now: T0 };
  let between: (() => Promise<void>) | undefined;
  const watched: Dynamo = {
    ...memory,
    get: async (input) => {
      const read = await memory.get(input);
      const meanwhile = between;
      between = undefined;
      await meanwhile?.();
      return read;
    },
  };
  const of = (dynamo: Dynamo) =>
    new Breakers({ dynamo, table: 'tokens', now: () => clock.now, random: () => 0 });
  const [one, two] = [of(watched), of(memory)];
  await one.recordFailure('a', retryAfterMs);
  await two.recordFailure('a', retryAfterMs);
  return { one, two, clock, meanwhile: (what: () => Promise<void>) => void (between = what) };
}

describe('a model at capacity', () => {
  test('does not extend the wait because several requests were in flight', async () => {
    const { two, clock } = await fullModel();
    clock.now += 500;
    expect(await two.enter('a')).toBe(0);
  });

  test('gets one probe from two concurrent processes', async () => {
    const { one, two, clock } = await fullModel(1_000);
    clock.now += 1_000;
    const waits = await Promise.all([one.enter('a'), two.enter('a')]);
    expect(waits.filter((ms) => ms === 0)).toHaveLength(1);
  });

  test('stays unavailable after a late success from before its last failure', async () => {
    const { one, two, clock, meanwhile } = await fullModel(1_000);
    clock.now += 1_000;
    meanwhile(() => two.recordFailure('a', 5_000));
    await one.recordSuccess('a');
    expect(await two.waitMs('a')).toBe(5_000);
  });
});

test('an unreadable answer is counted, and its question is not answered again', async () => {
  const dynamo = createMemoryDynamo();
  const { turns, claim, store } = storeIn(dynamo);
  const first = newTurn();
  await turns.accept(first, 'Why?', []);
  await turns.commit(first, await claim(first), turnOf(first), PLACE, T0);
  expect((await turns.listDue(100))[0]).toMatchObject({
    reason: 'reconcile',
    question: '',
    attachments: undefined,
  });
  const [item] = dynamo.items('conversations').filter(({ body }) => body !== undefined);
  await dynamo.put({ TableName: store.table, Item: { ...item, body: { B: new Uint8Array([1, 2, 3]) } } });
  expect(await turns.history(next(first, 1))).toMatchObject({ turns: [], unreadable: 1, number: 2 });
  expect(await turns.claim(first, 1, true)).toMatchObject({ unreadable: true, ended: undefined });
});
