import { expect, test } from '@jest/globals';
import { postFailureNotice } from '../../../shared/chat/answer/post-failure-notice.ts';
import { RECONCILE_AFTER_MS, withClaim } from '../../../shared/chat/access/with-claim.ts';
import { reconcile } from '../../../shared/chat/answer/reconcile.ts';
import type { WorkerContext } from '../../../shared/worker/index.ts';
import { deleteAnswer } from '../../../shared/chat/answer/delete-answer.ts';
import { messageId } from '../../../shared/domain/index.ts';
import { Turns } from '../../../shared/storage/index.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { fakePlatform, TURN } from '../completion-harness.ts';

const AWAY = new Error('the table is away');
const away = () => Promise.reject(AWAY);

/** A context in which each effect takes time, with the effects in order. */
function harness() {
  const done: string[] = [];
  const slowly = async (what: string, ticks = 3): Promise<void> => {
    for (let n = 0; n < ticks; n += 1) await new Promise<void>((on) => void setImmediate(on));
    done.push(what);
  };
  const at = commandHarness({
    platform: { ...fakePlatform(), deleteAnswer: () => slowly('answer') },
    permits: { ...UNLIMITED_PERMITS, leaveById: () => slowly('position') },
  });
  at.stage.removeCard = () => slowly('card', 30);
  return { ...at, done };
}

/** Withdraws a question whose answer was started twice. */
async function withdrawn(context: WorkerContext) {
  const { turns } = context;
  await turns.accept(TURN, 'Why?', []);
  await turns.claim(TURN, 60_000);
  return withClaim(TURN, { context, isRedelivery: true }, (claim) =>
    deleteAnswer(TURN, { ...claim, followUps: messageId('9.9') }, context),
  );
}

test('a withdrawn question leaves the queue first, then its card goes, then its answer', async () => {
  const { context, done } = harness();
  expect(await withdrawn(context)).toEqual({ kind: 'done' });
  expect(done).toEqual(['position', 'card', 'answer']);
});

test('a question that cannot leave the queue keeps its answer until the next delivery withdraws it', async () => {
  const { context, done } = harness();
  await expect(withdrawn({ ...context, permits: { ...UNLIMITED_PERMITS, leaveById: away } })).rejects.toThrow(
    AWAY,
  );
  expect(done).toEqual([]);
});

test('a status that appears after the deletion is removed by the later check', async () => {
  const { context, time } = harness();
  const statuses: string[] = [];
  let ended = 0;
  const platform: WorkerContext['platform'] = {
    ...context.platform,
    showStatus: async (_, text) => void statuses.push(text),
    reply: (...args) => ({
      ...fakePlatform().reply(...args),
      stopStreaming: async () => {
        ended += 1;
        return [];
      },
    }),
  };
  await withdrawn({ ...context, platform });
  // A request of a worker that died arrives late.
  statuses.push('is thinking…');
  const before = ended;
  time.advance(RECONCILE_AFTER_MS);
  const delivery = { deadline: time.now() + 60_000, isRedelivery: false, isLast: false };
  await reconcile({ v: 1, kind: 'reconcile', ...TURN }, { ...context, platform }, delivery);
  expect(statuses.at(-1)).toBe('');
  expect(ended).toBe(before + 1);
});

test('the notice that a question was given up is posted only after the record is written', async () => {
  const { context, dynamo, time } = harness();
  let replies = 0;
  const reply: WorkerContext['platform']['reply'] = (...args) => {
    replies += 1;
    return fakePlatform().reply(...args);
  };
  class Unwritten extends Turns {
    override commit = away;
  }
  const turns = new Unwritten({ dynamo, table: 'conversations', days: 30, now: time.now });
  await turns.accept(TURN, 'Why?', []);
  const task = { v: 1, kind: 'apologise', ...TURN, question: 'Why?' } as const;
  const notification = postFailureNotice(
    task,
    { ...context, turns, platform: { ...context.platform, reply } },
    { isRedelivery: false },
  );
  await expect(notification).rejects.toThrow(AWAY);
  expect(replies).toBe(0);
});
