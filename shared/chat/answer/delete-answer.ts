import type { ChatContext } from '../context.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { HeldClaim } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { deleteFollowUps } from './delete-bot-messages.ts';
import type { TaskResult } from '../../context/ports.ts';
import { RECONCILE_AFTER_MS } from './stream-answer.ts';
import { leaveQueue } from '../model/queue-place.ts';

/** Nothing is left of the question: its answer goes, then both leave the history. Broken off, it begins again. */
export async function deleteAnswer(
  turn: TurnRef,
  claim: HeldClaim,
  context: Pick<ChatContext, 'turns' | 'signals' | 'platform' | 'messenger' | 'time' | 'log'> &
    Parameters<typeof leaveQueue>[1],
): Promise<TaskResult> {
  if (claim.fence > 1) await leaveQueue(turn, context);
  await deleteFollowUps(turn.thread, claim.followUps, context);
  // An attempt that died may have left a message that nobody has written down.
  const left = claim.fence > 1 ? (await findOrphanedMessages(turn, context)).messages : [];
  const certain = claim.fence === 1 && claim.ended !== undefined;
  await context.platform.deleteAnswer(turn, [...new Set([...claim.posted, ...left])], certain);
  if (claim.fence > 1) {
    // An attempt at an answer that died, or waits in line, may have left its signs of work standing, or a message on its way.
    await Promise.all([
      context.platform.showStatus(turn, ''),
      context.platform.reply(turn, []).stopStreaming(),
    ]);
    await context.turns.removeContent(turn, claim.fence, context.time.now() + RECONCILE_AFTER_MS);
  } else await context.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}
