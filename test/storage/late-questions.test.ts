import { expect, test } from '@jest/globals';
import { channelId, messageId, type TurnRef, userId, workspaceId } from '../../shared/domain/index.ts';
import { ConditionFailedError, Turns, TurnSignals } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';

const WRITTEN_MS = 1_700_000_000_000;
const root = messageId('1699999000.000001');
const workspace = workspaceId('T1');
const turnOf = (message: string): TurnRef => ({
  thread: { platform: 'slack', workspace, channel: channelId('C1'), root },
  message: messageId(message),
  asker: userId('U1'),
  askerWorkspace: workspace,
});
const OWNER = turnOf('1699999999.000001');
const LATE = turnOf('1700000000.000001');
const NEXT = turnOf('1700000002.000001');

/** The table at this time (ms) after the second question was written. */
function turnsAfter(ms: number): Turns {
  const now = () => WRITTEN_MS + ms;
  return new Turns({ dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now });
}

const waitingIn = async (turns: Turns): Promise<string[]> =>
  (await turns.history(OWNER)).waiting.map(({ question }) => question);

test('a late question that may have been deleted is not merged with another one', async () => {
  const soon = turnsAfter(1_000);
  expect(await soon.accept(LATE, 'Why?', [])).toEqual({ isLate: false, isNew: true });
  expect(await waitingIn(soon)).toEqual(['Why?']);
  const late = turnsAfter(60_000);
  expect(await late.accept(LATE, 'Why?', [])).toEqual({ isLate: true, isNew: true });
  expect(await waitingIn(late)).toEqual([]);
});

test('a question that could not be queued is not merged either, before and after it is queued again', async () => {
  const turns = turnsAfter(1_000);
  await turns.accept(LATE, 'Why?', []);
  await turns.markUnsent(LATE, 'Why?', [], WRITTEN_MS);
  expect(await waitingIn(turns)).toEqual([]);
  await turns.completeDue(LATE);
  expect(await waitingIn(turns)).toEqual([]);
});

test.each([
  ['is late', LATE, 'Why?', false],
  ['is too long to be stored while it waits', NEXT, 'Why? '.repeat(200), false],
  ['was begun', NEXT, 'Why?', true],
])(
  'questions are not merged past one that %s, so that answers keep the order',
  async (_, turn, text, begins) => {
    const turns = turnsAfter(4_000);
    await turns.accept(turn, text, []);
    await turns.accept(turnOf('1700000002.000002'), 'Who?', []);
    expect(await waitingIn(turns)).toEqual(turn === NEXT && begins ? ['Why?', 'Who?'] : []);
    if (begins) await turns.claim(turn, 60_000);
    expect(await waitingIn(turns)).toEqual([]);
  },
);

test('a question is merged past one that was answered, merged, stopped or deleted, but not past one that was edited', async () => {
  const dynamo = createMemoryDynamo();
  const config = { dynamo, table: 'conversations', days: 30, now: () => WRITTEN_MS + 2_000 };
  const [turns, signals] = [new Turns(config), new TurnSignals(config)];
  const over = ['1700000000.000002', '1700000000.000003', '1700000000.000004'].map(turnOf);
  for (const turn of [...over, LATE]) await turns.accept(turn, 'Why?', []);
  const [merged, stopped, deleted] = over;
  if (!merged || !stopped || !deleted) throw new Error('not three turns');
  for (const [turn, text] of [
    [NEXT, 'How?'],
    [turnOf('1700000002.000002'), 'When?'],
    [turnOf('1700000002.000003'), 'Who?'],
  ] as const)
    await turns.accept(turn, text, []);
  expect(await waitingIn(turns)).toHaveLength(7);
  await signals.markMerged(merged, LATE.message);
  await signals.sendSignal(stopped, 'stopped');
  await signals.sendSignal(deleted, 'deleted');
  const claim = await turns.claim(LATE, 60_000);
  if (claim.kind !== 'held') throw new Error('not held');
  const outcome = { kind: 'answered', text: 'So.', finish: 'stop', model: 'm' } as const;
  await turns.commit(
    LATE,
    claim.fence,
    { message: LATE.message, question: 'Why?', outcome },
    { from: 'x', number: 1 },
  );
  expect(await waitingIn(turns)).toEqual(['How?', 'When?', 'Who?']);
  // The task of the edit was queued before the next question, which therefore has to wait for it.
  await signals.sendSignal(turnOf('1700000002.000002'), 'edited');
  expect(await waitingIn(turns)).toEqual(['How?']);
});

test('a question that was recorded from an edit is queued later with the text of that edit, not with an older one', async () => {
  const turns = turnsAfter(60_000);
  const [edit, older] = ['edit-9.2', 'edit-9.1'];
  expect(await turns.accept(LATE, 'When?', [], edit)).toMatchObject({ isNew: true });
  expect(await turns.accept(LATE, 'Why?', [])).toMatchObject({ isNew: false });
  for (const [text, key] of [
    ['Why?', undefined],
    ['Where?', older],
  ] as const)
    await expect(turns.markUnsent(LATE, text, [], WRITTEN_MS, key)).rejects.toThrow(ConditionFailedError);
  await turns.markUnsent(LATE, 'When?', [], WRITTEN_MS, edit);
  expect(await turns.listDue(9)).toMatchObject([{ question: 'When?', edit }]);
});
