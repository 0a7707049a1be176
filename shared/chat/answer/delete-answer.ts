import type { ChatContext } from '../context.ts';
import type { TurnRef, TaskResult } from '../../domain/index.ts';
import type { HeldClaim } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { deleteFollowUps } from './delete-bot-messages.ts';
import { RECONCILE_AFTER_MS } from './stream-answer.ts';
import { leaveQueue } from '../model/queue-place.ts';

/** Deletes the answer, then the turn. Safe to repeat after an interruption. */
export async function deleteAnswer(
  turn: TurnRef,
  claim: HeldClaim,
  context: Pick<ChatContext, 'turns' | 'signals' | 'platform' | 'messenger' | 'time' | 'log'> &
    Parameters<typeof leaveQueue>[1],
): Promise<TaskResult> {
  if (claim.fence > 1) await leaveQueue(turn, context);
  await deleteFollowUps(turn.thread, claim.followUps, context);
  // A crashed attempt may have left an unrecorded message.
  const orphaned = claim.fence > 1 ? (await findOrphanedMessages(turn, context)).messages : [];
  const isOnlyAttempt = claim.fence === 1 && claim.ended !== undefined;
  await context.platform.deleteAnswer(turn, [...new Set([...claim.posted, ...orphaned])], isOnlyAttempt);
  if (claim.fence > 1) {
    // A crashed or queued attempt may have left a status, or a message in flight.
    await Promise.all([
      context.platform.showStatus(turn, ''),
      context.platform.reply(turn, []).stopStreaming(),
    ]);
    await context.turns.removeContent(turn, claim.fence, context.time.now() + RECONCILE_AFTER_MS);
  } else await context.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}
