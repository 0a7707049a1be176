import { expect, test } from '@jest/globals';
import { messageId, type TurnRef, userId, workspaceId } from '../../../shared/domain/index.ts';
import { findOrphanedMessages } from '../../../shared/chat/answer/find-orphaned-messages.ts';
import { reconcile } from '../../../shared/chat/answer/reconcile.ts';

import { TurnSignals, Turns } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { fakePlatform } from '../completion-harness.ts';
import { THREAD } from '../thread-harness.ts';
import { RECONCILE_AFTER_MS } from '../../../shared/chat/access/with-claim.ts';

const refOf = (message: string): TurnRef => ({
  thread: THREAD,
  message: messageId(message),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
});
const [FIRST, SECOND] = [refOf('1.1'), refOf('1.3')];

/** A thread of two questions, and the messages that the platform finds for the first. */
async function thread(ofTurn: readonly string[], unattributed: readonly string[]) {
  const config = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => 1_000 };
  const turns = new Turns(config);
  for (const one of [FIRST, SECOND]) await turns.accept(one, 'q', []);
  const orphans = { ofTurn: ofTurn.map(messageId), unattributed: unattributed.map(messageId) };
  const context = {
    platform: { ...fakePlatform(), findOrphanedMessages: async () => orphans },
    signals: new TurnSignals(config),
  };
  const begin = async (posted: readonly string[] = []) => {
    const claim = await turns.claim(SECOND, 60_000);
    if (claim.kind !== 'held') throw new Error('not claimed');
    if (posted.length > 0) await turns.savePosted(SECOND, claim.fence, posted.map(messageId));
    return claim.fence;
  };
  return { turns, begin, left: async () => (await findOrphanedMessages(FIRST, context)).messages };
}

test('a turn owns the messages tied to it, and the untied ones when no other turn can own them', async () => {
  const { left } = await thread(['1.4'], ['1.2', '1.5']);
  expect(await left()).toEqual(['1.2', '1.4', '1.5']);
});

test('a message that is recorded for another turn is not orphaned, whether that turn has ended or not', async () => {
  const { turns, begin, left } = await thread(['1.4'], ['1.2', '1.5']);
  const fence = await begin(['1.5']);
  expect(await left()).toEqual(['1.2', '1.4']);
  const outcome = { kind: 'answered', text: 'Yes.', finish: 'stop', model: 'm' } as const;
  const history = { message: SECOND.message, question: 'And?', mergedQuestions: [], outcome };
  await turns.commit(SECOND, fence, history, { from: 'TURN#1.1', number: 2 });
  expect(await left()).toEqual(['1.2', '1.4']);
});

test('an untied message is kept while another turn that could own it is being answered or reconciled', async () => {
  const { turns, begin, left } = await thread(['1.4'], ['1.2', '1.5']);
  const fence = await begin();
  expect(await left()).toEqual(['1.2', '1.4']);
  await turns.scheduleReconcile(SECOND, 5_000);
  await turns.removeContent(SECOND, fence, 5_000);
  expect(await left()).toEqual(['1.2', '1.4']);
});

test('the search for orphaned messages is retried later when the platform cannot answer it now', async () => {
  let isIncomplete: true | undefined = true;
  const findIncomplete = async () => ({ ofTurn: [], unattributed: [], isIncomplete });
  const { context, time } = commandHarness({
    platform: { ...fakePlatform(), findOrphanedMessages: findIncomplete },
  });
  await context.turns.accept(FIRST, 'q', []);
  const claim = await context.turns.claim(FIRST, 60_000);
  if (claim.kind !== 'held') throw new Error('not claimed');
  const outcome = { kind: 'answered', text: 'Yes.', finish: 'stop', model: 'm' } as const;
  const history = { message: FIRST.message, question: 'q', mergedQuestions: [], outcome };
  await context.turns.commit(FIRST, claim.fence, history, { from: 'TURN#1.1', number: 1 }, time.now());
  await context.turns.renew(FIRST, claim.fence, 0);
  const look = async () => {
    time.advance(RECONCILE_AFTER_MS);
    const delivery = { deadline: time.now() + 60_000, isRedelivery: false, isLast: false };
    await reconcile({ v: 1, kind: 'reconcile', ...FIRST }, context, delivery);
    time.advance(RECONCILE_AFTER_MS);
    return context.turns.listDue(10);
  };
  expect(await look()).toHaveLength(1);
  isIncomplete = undefined;
  expect(await look()).toEqual([]);
});
