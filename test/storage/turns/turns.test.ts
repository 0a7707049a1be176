import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  type Thread,
  type Turn,
  type TurnRef,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { ConditionFailedError, type Dynamo, TurnSignals, Turns } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { startTables } from '../../fakes/tables.ts';

let clock = 1_700_000_000_000;
let counter = 0;

function newThread(): Thread {
  counter += 1;
  const root = messageId(`1700000000.${String(counter).padStart(6, '0')}`);
  return { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1'), root };
}

function ref(thread: Thread, message = thread.root): TurnRef {
  return { thread, message, asker: userId('U1'), askerWorkspace: workspaceId('T1') };
}

const nth = (n: number) => messageId(`17000000${String(10 + n)}.000000`);
const turn = (message: TurnRef['message'], question: string, text = `answer to ${question}`): Turn => ({
  message,
  question,
  outcome: { kind: 'answered', text, finish: 'stop', model: 'model-a' },
});

async function fence(turns: Turns, of: TurnRef): Promise<number> {
  const claim = await turns.claim(of, 60_000);
  if (claim.kind !== 'held') throw new Error(`claim is ${claim.kind}`);
  return claim.fence;
}

async function endTurn(
  turns: Turns,
  of: TurnRef,
  question: string,
  keep?: (past: Awaited<ReturnType<Turns['history']>>) => string,
) {
  await turns.accept(of, 'q', []);
  const fenceNumber = await fence(turns, of);
  const past = await turns.history(of);
  await turns.commit(of, fenceNumber, turn(of.message, question), {
    from: keep?.(past) ?? past.from,
    number: past.number,
  });
}

function suite(dynamoOf: () => Dynamo) {
  const create = (days = 30) =>
    new Turns({ dynamo: dynamoOf(), table: 'conversations', days, now: () => clock });

  test('a thread is known once one of its messages was accepted, until it expires', async () => {
    const turns = create(1);
    const thread = newThread();
    expect(await turns.isParticipating(thread)).toBe(false);
    await turns.accept(ref(thread), 'q', []);
    expect(await turns.isParticipating(thread)).toBe(true);
    clock += 86_400_000 + 1_000;
    expect(await turns.isParticipating(thread)).toBe(false);
  });

  test('the bot does not take part in messages from before its first question, even if their events are late', async () => {
    const turns = create();
    const thread = newThread();
    await turns.accept(ref(thread, nth(5)), 'q', []);
    expect(await turns.isParticipating(thread, nth(4))).toBe(false);
    expect(await turns.isParticipating(thread, nth(5))).toBe(true);
    expect(await turns.isParticipating(thread, nth(6))).toBe(true);
    await turns.accept(ref(thread, nth(2)), 'q', []);
    expect(await turns.isParticipating(thread, nth(4))).toBe(true);
    // Of an interaction without a message nobody knows the time.
    const called = newThread();
    await turns.accept(ref(called, messageId('f00dcafe00000000f00d')), 'q', []);
    expect(await turns.isParticipating(called, nth(4))).toBe(true);
  });

  test('the card with follow-up questions is known to the next turn, and to the next lease', async () => {
    const turns = create();
    const thread = newThread();
    const first = ref(thread);
    await endTurn(turns, first, 'one');
    expect((await turns.history(ref(thread, nth(2)))).turns[0]?.followUps).toBeUndefined();
    await turns.saveFollowUps(first, nth(9));
    expect((await turns.history(ref(thread, nth(2)))).turns[0]?.followUps).toBe(nth(9));
    expect(await turns.claim(first, 60_000)).toMatchObject({ followUps: nth(9) });
    // Nothing is written for a turn that was erased meanwhile.
    await turns.saveFollowUps(ref(newThread()), nth(9));
  });

  test('after the retention was shortened, older turns count as expired', async () => {
    const turns = create();
    const thread = newThread();
    const at = (daysAgo: number, n: number) => ({
      ...ref(thread),
      message: messageId(`${Math.floor(clock / 1_000) - daysAgo * 86_400}.${String(n).padStart(6, '0')}`),
    });
    const [old, young, now] = [at(9, 1), at(2, 2), at(0, 3)];
    for (const one of [old, young]) await endTurn(turns, one, `why ${one.message}?`);
    await turns.accept(now, 'q', []);
    const visibleWith = async (days: number | undefined) => {
      const stored = turns.withRetention(days);
      const { turns: past } = await stored.history(now);
      const matches = await stored.search(now, 'why', 9);
      const lookups = await Promise.all(
        [old, young].map(({ message }) => stored.findByMessage(thread, message)),
      );
      return [past.length, matches.length, lookups.filter((one) => one).length];
    };
    expect(await visibleWith(undefined)).toEqual([2, 2, 2]);
    expect(await visibleWith(10)).toEqual([2, 2, 2]);
    expect(await visibleWith(7)).toEqual([1, 1, 1]);
    expect(await visibleWith(1)).toEqual([0, 0, 0]);
  });

  test('accepting a message again changes nothing', async () => {
    const turns = create();
    const of = ref(newThread());
    await endTurn(turns, of, 'first?');
    await turns.accept(of, 'q', []);
    clock += 60_001;
    expect(await turns.claim(of, 1_000)).toMatchObject({ kind: 'held', ended: { question: 'first?' } });
  });

  test('there is one lease at a time, the next has a higher fence, and an unknown message has none', async () => {
    const turns = create();
    const of = ref(newThread());
    expect(await turns.claim(of, 1_000)).toEqual({ kind: 'gone' });
    await turns.accept(of, 'q', []);
    expect(await turns.claim(of, 1_000)).toMatchObject({
      kind: 'held',
      fence: 1,
      posted: [],
      ended: undefined,
    });
    expect(await turns.claim(of, 1_000)).toEqual({ kind: 'taken', untilMs: clock + 1_000 });
    clock += 1_001;
    expect(await turns.claim(of, 1_000)).toMatchObject({ kind: 'held', fence: 2 });
  });

  test('the lease of a crashed worker is taken over before it ends, if there is a turn', async () => {
    const turns = create();
    const of = ref(newThread());
    expect(await turns.claim(of, 60_000, true)).toEqual({ kind: 'gone' });
    await turns.accept(of, 'q', []);
    const old = await fence(turns, of);
    expect(await turns.claim(of, 60_000, true)).toMatchObject({ kind: 'held', fence: old + 1 });
    await expect(turns.renew(of, old, 60_000)).rejects.toThrow(ConditionFailedError);
  });

  test('writes of a lost lease are rejected, those of the current one are accepted', async () => {
    const turns = create();
    const of = ref(newThread());
    await turns.accept(of, 'q', []);
    const old = await fence(turns, of);
    clock += 60_001;
    const current = await fence(turns, of);
    await expect(turns.savePosted(of, old, [messageId('1.1')])).rejects.toThrow(ConditionFailedError);
    await expect(turns.renew(of, old, 1_000)).rejects.toThrow(ConditionFailedError);
    await expect(turns.commit(of, old, turn(of.message, 'q'), { from: 'x', number: 1 })).rejects.toThrow(
      ConditionFailedError,
    );
    await turns.savePosted(of, current, [messageId('1.1'), messageId('1.2')]);
    await turns.commit(of, current, turn(of.message, 'q'), { from: 'x', number: 1 });
    await expect(turns.commit(of, current, turn(of.message, 'r'), { from: 'x', number: 1 })).rejects.toThrow(
      ConditionFailedError,
    );
    await turns.renew(of, current, 0);
    expect(await turns.claim(of, 1_000)).toMatchObject({ posted: ['1.1', '1.2'], ended: { question: 'q' } });
  });

  test('the history contains the earlier ended turns, oldest first, from the start of the last prompt', async () => {
    const turns = create();
    const thread = newThread();
    for (const n of [1, 2, 3]) await endTurn(turns, ref(thread, nth(n)), `question ${n}`);
    const past = await turns.history(ref(thread, nth(9)));
    expect(past.turns.map(({ question }) => question)).toEqual(['question 1', 'question 2', 'question 3']);
    expect(past.number).toBe(4);

    await endTurn(turns, ref(thread, nth(4)), 'question 4', (p) => p.turns[1]?.sk ?? '');
    const trimmed = await turns.history(ref(thread, nth(9)));
    expect(trimmed.turns.map(({ question }) => question)).toEqual(['question 2', 'question 3', 'question 4']);
    expect(trimmed.number).toBe(5);
  });

  test('the first question of a thread has no history, and pending questions are left to the next one', async () => {
    const turns = create();
    const thread = newThread();
    const first = ref(thread, nth(1));
    await turns.accept(ref(thread, nth(2)), 'q', []);
    expect(await turns.history(first, true)).toEqual({ ...(await turns.history(first)), waiting: [] });
  });

  test('questions without an answer are not part of the history', async () => {
    const turns = create();
    const thread = newThread();
    await endTurn(turns, ref(thread, nth(1)), 'kept');
    for (let n = 2; n < 15; n += 1) await turns.accept(ref(thread, nth(n)), 'q', []);
    await turns.accept(ref(thread, nth(20)), 'q', []);
    const past = await turns.history(ref(thread, nth(20)));
    expect(past.turns.map(({ question }) => question)).toEqual(['kept']);
  });

  test('expired turns are not part of the history, even if the table still has them', async () => {
    const turns = create(1);
    const thread = newThread();
    await endTurn(turns, ref(thread, nth(1)), 'old');
    clock += 43_200_000;
    await endTurn(turns, ref(thread, nth(2)), 'young');
    clock += 43_201_000;
    expect((await turns.history(ref(thread, nth(3)))).turns.map(({ question }) => question)).toEqual([
      'young',
    ]);
    // Neither the model nor a request for the last answer finds them.
    expect(await turns.search(ref(thread, nth(3)), 'old', 5)).toEqual([]);
    expect(await turns.search(ref(thread, nth(3)), 'young', 5)).toHaveLength(1);
    expect(await turns.findByMessage(thread, nth(1))).toBeUndefined();
  });

  test('reconcile passes become due at their time and are gone when done', async () => {
    const turns = create();
    const [a, b] = [ref(newThread()), ref(newThread())];
    await turns.accept(a, 'q', []);
    await turns.accept(b, 'q', []);
    await turns.markUnsent(a, 'lost on the way?', [], clock + 5_000);
    await turns.scheduleReconcile(b, clock + 10_000);
    expect(await turns.listDue(10)).toEqual([]);
    clock += 6_000;
    expect(await turns.listDue(10)).toMatchObject([
      { turn: a, reason: 'unsent', question: 'lost on the way?', attachments: [], attempts: 0 },
    ]);
    clock += 6_000;
    const kinds = (await turns.listDue(10)).map((due) => (due.kind === 'turn' ? due.reason : due.kind));
    expect(new Set(kinds)).toEqual(new Set(['reconcile', 'unsent']));
    for (const due of await turns.listDue(10)) await turns.postponeDue(due, clock + 1_000);
    expect(await turns.listDue(10)).toEqual([]);
    clock += 2_000;
    expect(await turns.listDue(10)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    await turns.completeDue(a);
    await turns.completeDue(a);
    await turns.completeDue(b);
    expect(await turns.listDue(10)).toEqual([]);
  });

  test('a signal counts until the turn has ended, and while it is answered again', async () => {
    const turns = create();
    const marks = new TurnSignals({ dynamo: dynamoOf(), table: 'conversations', days: 30, now: () => clock });
    const of = ref(newThread());
    const marked = async () => (await marks.poll(of)).signal;
    await marks.sendSignal(of, 'edited', 'edit-0');
    expect(await marked()).toBeUndefined();
    await turns.accept(of, 'q', []);
    await marks.sendSignal(of, 'edited', 'edit-1');
    expect(await marked()).toEqual({ signal: 'edited', key: 'edit-1' });
    const { from, number } = await turns.history(of);
    await turns.commit(of, await fence(turns, of), turn(of.message, 'q'), { from, number });
    await marks.sendSignal(of, 'edited', 'edit-2');
    expect(await marked()).toBeUndefined();
    const fenceNumber = await fence(turns, of);
    expect(await marks.isAnswering(of.thread)).toBe(true);
    expect(await marks.listRunning(of.thread)).toMatchObject([{ message: of.message }]);
    await marks.sendSignal(of, 'stopped');
    expect(await marked()).toEqual({ signal: 'stopped', key: String(clock) });
    await marks.sendSignal(of, 'deleted');
    await marks.sendSignal(of, 'edited', 'edit-3');
    expect((await marked())?.signal).toBe('deleted');
    await turns.rewrite(of, fenceNumber, turn(of.message, 'q'), { from, number }, 'edit-4', clock);
    expect(await marked()).toBeUndefined();
  });

  test('two workspaces with the same channel and message ids are separate', async () => {
    const turns = create();
    const here = newThread();
    const there: Thread = { ...here, workspace: workspaceId('T2') };
    await endTurn(turns, ref(here), 'ours');
    expect(await turns.isParticipating(there)).toBe(false);
    expect((await turns.history(ref(there, nth(50)))).turns).toEqual([]);
  });
}

describe('turns in memory', () => {
  const dynamo = createMemoryDynamo();
  suite(() => dynamo);
});

describe('turns on dynalite', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.close());
  suite(() => tables.dynamo);
});
