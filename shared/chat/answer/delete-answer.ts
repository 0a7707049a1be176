import type { TurnRef } from '../../domain/index.ts';
import type { HeldClaim } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { deleteFollowUps } from './delete-bot-messages.ts';
import type { WorkerContext, TaskResult } from '../../context/ports.ts';
import { RECONCILE_AFTER_MS } from './stream-answer.ts';
import { leaveQueue } from '../model/queue-place.ts';

/** Nothing is left of the question: its answer goes, then both leave the history. Broken off, it begins again. */
export async function deleteAnswer(
  turn: TurnRef,
  claim: HeldClaim,
  deps: Pick<WorkerContext, 'turns' | 'marks' | 'platform' | 'messenger' | 'time' | 'log'> &
    Partial<Pick<WorkerContext, 'slots'>>,
): Promise<TaskResult> {
  if (claim.fence > 1) await leaveQueue(turn, deps);
  await deleteFollowUps(turn.thread, claim.followUps, deps);
  // An attempt that died may have left a message that nobody has written down.
  const left = claim.fence > 1 ? (await findOrphanedMessages(turn, deps)).messages : [];
  const certain = claim.fence === 1 && claim.ended !== undefined;
  await deps.platform.deleteAnswer(turn, [...new Set([...claim.posted, ...left])], certain);
  if (claim.fence > 1) {
    // An attempt at an answer that died, or waits in line, may have left its signs of work standing, or a message on its way.
    await Promise.all([deps.platform.showStatus(turn, ''), deps.platform.reply(turn, []).stopStreaming()]);
    await deps.turns.empty(turn, claim.fence, deps.time.now() + RECONCILE_AFTER_MS);
  } else await deps.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}
