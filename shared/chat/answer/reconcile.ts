import type { ChatContext } from '../context.ts';
import { type ReconcileTask, taskTurnRef, type TurnRef } from '../../domain/index.ts';
import { withClaim, type HeldClaim } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import type { QueueDelivery, TaskResult } from '../../context/ports.ts';
import { RECONCILE_AFTER_MS } from './stream-answer.ts';
import { publishStoredAnswer } from './publish-stored-answer.ts';

/**
 * Looks once more at an answer that may be visible twice, or in an old state: a worker that died, or a call whose reply
 * was lost, may have left a write on its way that landed after everything else. The platforms know no fence,
 * so the only remedy is to look when nothing can be on its way any more. A look that was broken off may itself have left
 * something, and is followed by another; so is one that the platform did not let take place.
 */
export function reconcile(
  task: ReconcileTask,
  context: Pick<ChatContext, 'turns' | 'signals' | 'platform' | 'time' | 'settings' | 'price'>,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const turn = taskTurnRef(task);
  return withClaim(turn, { context, again: delivery.isRedelivery }, async (claim) => {
    const certain = await repairAnswer(turn, claim, context);
    if (delivery.isRedelivery || !certain)
      await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
    else await context.turns.completeDue(turn);
    // An answer still to come must not wait for this look's claim to run out.
    await context.turns.renew(turn, claim.fence, 0).catch(() => undefined);
    return { kind: 'done' };
  });
}

/** Whether nothing is left to be looked for. */
async function repairAnswer(
  turn: TurnRef,
  { ended, posted, mark }: HeldClaim,
  context: Parameters<typeof reconcile>[1],
): Promise<boolean> {
  if (ended) return publishStoredAnswer(turn, ended, posted, context);
  if (mark !== 'deleted') return true;
  const { messages, unsearched } = await findOrphanedMessages(turn, context);
  await context.platform.deleteAnswer(turn, [...posted, ...messages]);
  return !unsearched;
}
