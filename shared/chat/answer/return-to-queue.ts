import type { Reply } from '../../platforms/ports/index.ts';
import { isFirst, RECONCILE_AFTER_MS, type AnswerWork, LEASE_MS } from '../access/with-claim.ts';
import type { TaskResult } from '../../domain/index.ts';
import type { StatusIndicator } from '../display/status-indicator.ts';
import { isNewSignal, type KnownSignals } from './cancellation-watcher.ts';

/** Returns the signals that this claim already knows. */
export const knownSignalsOf = ({ claim, includedEdit }: AnswerWork): Omit<KnownSignals, 'acknowledged'> => ({
  includedEdit,
  // An old signal was about the previous answer; a signal during the wait is about this one.
  previousKey: claim.ended && (claim.waited ? claim.waited.known : claim.signalKey),
});

/**
 * Returns the task to the queue; the asker already sees a status. The turn stays claimed, so that people can stop it. A
 * signal that arrives meanwhile takes effect at once.
 */
export async function waitOnQueue(
  work: AnswerWork,
  reply: Reply,
  result: Extract<TaskResult, { kind: 'later' }>,
): Promise<TaskResult> {
  const { turn, claim, context, delivery } = work;
  const { afterMs, queueWaitMs } = result;
  const isUntouched = await leave(work, reply, queueWaitMs !== undefined);
  const known = knownSignalsOf(work);
  const signal = await context.turns.handBack(turn, claim.fence, {
    leaseMs: Math.max(afterMs, queueWaitMs ?? 0) + LEASE_MS,
    isUntouched,
    waits: { receipt: delivery.receipt, known: known.previousKey },
  });
  return isNewSignal(signal, known) ? { ...result, afterMs: 0 } : result;
}

/** Delay of a question that needs memory: by then, other questions have ended. */
const MEMORY_RETRY_DELAY_MS = 5_000;

/** Retries a question for which there is not enough memory now. */
export async function waitForMemory(
  work: AnswerWork,
  reply: Reply,
  thinking: StatusIndicator,
): Promise<TaskResult> {
  work.context.log('answer.requeued-for-memory');
  thinking.keep();
  return waitOnQueue(work, reply, { kind: 'later', afterMs: MEMORY_RETRY_DELAY_MS });
}

/** Moves a question that needs more memory than this process has to a process without other tasks. */
export async function moveToLargeWorker(
  work: AnswerWork,
  reply: Reply,
  thinking: StatusIndicator,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  thinking.keep();
  const isUntouched = await leave(work, reply, false);
  const waits = { receipt: undefined, known: knownSignalsOf(work).previousKey };
  await context.turns.handBack(turn, claim.fence, { leaseMs: 0, isUntouched, waits });
  return { kind: 'too-large' };
}

/** Ends the work on a changed question; the next task handles the change. */
export async function yieldTurn({ turn, claim, context }: AnswerWork): Promise<TaskResult> {
  // If the next task fails, the posted partial answer must be repaired.
  if (claim.ended) await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  await context.turns.renew(turn, claim.fence, 0);
  return { kind: 'done' };
}

/** Stops streaming; `keepsStatus`: the status stays. Returns whether no part of the answer can be posted. */
async function leave(work: AnswerWork, reply: Reply, keepsStatus: boolean): Promise<boolean> {
  const posted = await reply.stopStreaming(keepsStatus);
  return isFirst(work) && posted.length === 0 && !reply.hasUnconfirmedPosts;
}
