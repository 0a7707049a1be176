import { expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { Turns, TurnSignals } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const ROOT = messageId('1700000001.000000');
const TURN = {
  thread: { platform: 'slack', workspace: workspaceId('T1'), channel: channelId('C1'), root: ROOT },
  message: ROOT,
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
} as const;
const LATER = { ...TURN, message: messageId('1700000002.000000') };

const now = () => 1_700_000_010_000;

/** Tables with a question that waits. */
async function askQuestion() {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now };
  const [turns, signals] = [new Turns(store), new TurnSignals(store)];
  await turns.accept(TURN, 'Why?', []);
  return { turns, signals };
}

/** Claims the question, and returns what stores its answer. */
async function claimQuestion(turns: Turns): Promise<() => Promise<void>> {
  const claim = await turns.claim(TURN, 60_000);
  if (claim.kind !== 'held') throw new Error(`the claim is ${claim.kind}`);
  const outcome = { kind: 'answered', text: 'Yes.', finish: 'stop', model: 'model-a' } as const;
  const answered = { message: ROOT, question: 'Why?', outcome };
  return async () => {
    await turns.commit(TURN, claim.fence, answered, await turns.history(TURN));
  };
}

test('the deletion of an answered question is in the history of the next ones, and is no signal to a new answer', async () => {
  const { turns, signals } = await askQuestion();
  const storeAnswer = await claimQuestion(turns);
  await storeAnswer();
  for (const signal of ['stopped', 'edited'] as const)
    expect(await signals.sendSignal(TURN, signal)).toBeUndefined();
  expect(await turns.history(LATER)).toMatchObject({ deleted: [], turns: [{ question: 'Why?' }] });
  expect(await turns.search(LATER, 'why', 5)).toHaveLength(1);
  expect(await signals.sendSignal(TURN, 'deleted')).toBeUndefined();
  expect((await turns.history(LATER)).deleted).toEqual([ROOT]);
  expect(await turns.search(LATER, 'why', 5)).toEqual([]);
  await turns.claim(TURN, 60_000);
  expect((await signals.poll(TURN)).signal).toBeUndefined();
  expect(await signals.sendSignal(TURN, 'stopped', 'now')).toEqual({ receipt: undefined });
});

test('a deletion that arrives after the last look of the worker is in the history once the turn has ended', async () => {
  const { turns, signals } = await askQuestion();
  const storeAnswer = await claimQuestion(turns);
  expect(await signals.sendSignal(TURN, 'deleted')).toEqual({ receipt: undefined });
  await storeAnswer();
  expect((await turns.history(LATER)).deleted).toEqual([ROOT]);
  expect(await turns.search(LATER, 'why', 5)).toEqual([]);
});

test.each(['stopped', 'edited'] as const)(
  'a question that was %s counts as none that was deleted',
  async (signal) => {
    const { turns, signals } = await askQuestion();
    await signals.sendSignal(TURN, signal);
    expect((await turns.history(LATER)).deleted).toEqual([]);
  },
);
