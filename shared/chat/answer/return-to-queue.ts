import type { Reply } from '../../platforms/ports/platform.ts';
import { isFirst, RECONCILE_AFTER_MS, type AnswerWork } from '../access/claimed-turn.ts';
import { LEASE_MS } from '../access/lease.ts';
import type { TaskResult } from '../../context/index.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { isNews, type KnownSignals } from './cancellation-watcher.ts';

/** What of the marks on a turn is no news to the work under this claim. */
export const knownSignalsOf = ({ claim, granted }: AnswerWork): Omit<KnownSignals, 'noticed'> => ({
  granted,
  // Before an answer is made anew, a mark was about the one before; while it waits to be made, it is about this one.
  wish: claim.ended && (claim.waited ? claim.waited.known : claim.wish),
});

/**
 * The task waits on the queue, and whoever asked was told. Until it is back the turn counts as being answered, so that people can stop it. What
 * they did while this process let go of it has effect at once.
 */
export async function waitOnQueue(
  work: AnswerWork,
  reply: Reply,
  verdict: Extract<TaskResult, { kind: 'later' }>,
): Promise<TaskResult> {
  const { turn, claim, context, delivery } = work;
  const { afterMs, queueWaitMs } = verdict;
  const isUntouched = await leave(work, reply, queueWaitMs !== undefined);
  const known = knownSignalsOf(work);
  const marked = await context.turns.handBack(turn, claim.fence, {
    leaseMs: Math.max(afterMs, queueWaitMs ?? 0) + LEASE_MS,
    isUntouched,
    waits: { receipt: delivery.receipt, known: known.wish },
  });
  return isNews(marked, known) ? { ...verdict, afterMs: 0 } : verdict;
}

/** How long a question that found no room in the memory waits on the queue, in ms: others end in the meantime. */
const NO_ROOM_RETRY_MS = 5_000;

/** The person reads that the question waits; another delivery, perhaps in another process, finds room. */
export async function waitForMemory(
  work: AnswerWork,
  reply: Reply,
  thinking: StatusIndicator,
): Promise<TaskResult> {
  work.context.log('answer.requeued-for-memory');
  thinking.keep();
  return waitOnQueue(work, reply, { kind: 'later', afterMs: NO_ROOM_RETRY_MS });
}

/** It needs more memory than is to be had here: a process that has no other task goes on with it at once. */
export async function moveToLargeWorker(
  work: AnswerWork,
  reply: Reply,
  thinking: StatusIndicator,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  thinking.keep();
  const isUntouched = await leave(work, reply, false);
  const waits = { receipt: undefined, known: knownSignalsOf(work).wish };
  await context.turns.handBack(turn, claim.fence, { leaseMs: 0, isUntouched, waits });
  return { kind: 'too-large' };
}

/** The question has changed, which the task behind this one deals with. */
export async function yieldTurn({ turn, claim, context }: AnswerWork): Promise<TaskResult> {
  // Should that come to nothing, people are left with a part of an answer that is not stored.
  if (claim.ended) await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  await context.turns.renew(turn, claim.fence, 0);
  return { kind: 'done' };
}

/** Shows no more of the answer; `goesOn`: what shows the work stays. Resolves with whether nothing of it can be anywhere. */
async function leave(work: AnswerWork, reply: Reply, goesOn: boolean): Promise<boolean> {
  const posted = await reply.stopStreaming(goesOn);
  return isFirst(work) && posted.length === 0 && !reply.hasUnconfirmedPosts;
}
