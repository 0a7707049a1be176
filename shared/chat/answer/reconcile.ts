import type { ChatContext } from '../context.ts';
import {
  type ReconcileTask,
  getTaskTurnRef,
  type TurnRef,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { endStatus } from './delete-answer.ts';
import { withClaim, type HeldClaim, RECONCILE_AFTER_MS, releaseClaim } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { publishStoredAnswer } from './finish-answer.ts';

/**
 * Repairs an answer that may be posted twice or in an old state: a late write of a dead worker, or of a request without a
 * response, may arrive after everything else. Platforms have no fences, so this runs when no write can be in flight any
 * more. An interrupted or incomplete repair schedules another one.
 */
export function reconcile(
  task: ReconcileTask,
  context: Pick<
    ChatContext,
    'turns' | 'signals' | 'platform' | 'messenger' | 'time' | 'settings' | 'price' | 'log'
  >,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const turn = getTaskTurnRef(task);
  return withClaim(turn, { context, isRedelivery: delivery.isRedelivery }, async (claim) => {
    const isRepaired = await repairAnswer(turn, claim, context);
    if (delivery.isRedelivery || !isRepaired)
      await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
    else await context.turns.completeDue(turn);
    await releaseClaim(turn, claim, context).catch(() => undefined);
    // There may have been nothing to repair, and then nothing else shows that the task has run.
    context.log('answer.check-ended', { message: turn.message });
    return { kind: 'done' };
  });
}

/** Repairs the posted messages. Returns whether nothing is left to search. */
async function repairAnswer(
  turn: TurnRef,
  { ended, posted, signal }: HeldClaim,
  context: Parameters<typeof reconcile>[1],
): Promise<boolean> {
  if (ended) return publishStoredAnswer(turn, ended, posted, context);
  if (signal !== 'deleted') return true;
  const { messages, isIncomplete } = await findOrphanedMessages(turn, context);
  await context.platform.deleteAnswer(turn, [...posted, ...messages]);
  // A request of a dead worker may have arrived after the deletion.
  await endStatus(turn, context);
  return !isIncomplete;
}
