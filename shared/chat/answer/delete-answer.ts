import type { ChatContext } from '../context.ts';
import type { MessageId, Thread, TurnRef, TaskResult } from '../../domain/index.ts';
import { getErrorFacts, getMessageTimeMs } from '../../utils/index.ts';
import { type HeldClaim, RECONCILE_AFTER_MS } from '../access/with-claim.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { leaveQueue } from '../model/wait-for-permit.ts';

/** Deletes messages of the bot. A failure is only logged, so that stored data is removed anyway. */
export async function deleteBotMessages(
  thread: Thread,
  messages: readonly MessageId[],
  { messenger, log }: Pick<ChatContext, 'messenger' | 'log'>,
  options = { hasFiles: true },
): Promise<void> {
  for (const message of messages) {
    await messenger.removeCard(thread, message, options).catch((error: unknown) => {
      log('answer.message-delete-failed', { ...thread, message, ...getErrorFacts(error) });
    });
  }
}

/**
 * Deletes the follow-up questions card: one was used, another question was asked, or the answer is regenerated. Idempotent.
 * Never rejects.
 */
export const deleteFollowUps = async (
  thread: Thread,
  card: MessageId | undefined,
  context: Pick<ChatContext, 'messenger' | 'log'>,
): Promise<void> => deleteBotMessages(thread, card === undefined ? [] : [card], context, { hasFiles: false });

/** Deletes the files of an answer that people asked for. A message that cannot be deleted is only logged. */
async function deleteAnswerFiles(
  turn: TurnRef,
  context: Pick<ChatContext, 'answerFiles' | 'messenger' | 'log'>,
): Promise<void> {
  await deleteBotMessages(turn.thread, await context.answerFiles.list(turn), context);
  await context.answerFiles.removeAll(turn);
}

/** Ends the status that an earlier attempt may have left for a deleted question. */
export async function endStatus(turn: TurnRef, { platform }: Pick<ChatContext, 'platform'>): Promise<void> {
  await Promise.all([platform.showStatus(turn, ''), platform.reply(turn, []).stopStreaming()]);
}

/** Deletes the answer, then the turn. Safe to repeat after an interruption. */
export async function deleteAnswer(
  turn: TurnRef,
  claim: HeldClaim,
  context: Pick<
    ChatContext,
    'turns' | 'signals' | 'platform' | 'messenger' | 'answerFiles' | 'time' | 'log'
  > &
    Parameters<typeof leaveQueue>[1],
): Promise<TaskResult> {
  if (claim.fence > 1) await leaveQueue(turn, context);
  await deleteFollowUps(turn.thread, claim.followUps, context);
  if (claim.ended) await deleteAnswerFiles(turn, context);
  // A crashed attempt may have left an unrecorded message.
  const orphaned = claim.fence > 1 ? (await findOrphanedMessages(turn, context)).messages : [];
  const isOnlyAttempt = claim.fence === 1 && claim.ended !== undefined;
  await context.platform.deleteAnswer(turn, [...new Set([...claim.posted, ...orphaned])], isOnlyAttempt);
  if (claim.fence > 1) {
    // A crashed or queued attempt may have left a status, or a message in flight.
    await endStatus(turn, context);
    await context.turns.removeContent(turn, claim.fence, context.time.now() + RECONCILE_AFTER_MS);
  } else await context.turns.remove(turn, claim.fence);
  return { kind: 'done' };
}

/**
 * Deletes what an earlier attempt posted of an answer to a question that was erased meanwhile, and ends its stream and its status: nobody
 * else knows of them. Rejects if the platform fails, so that the task is repeated; at its last attempt that is only logged.
 */
export async function deleteUnfinishedAnswer(
  turn: TurnRef,
  context: Pick<ChatContext, 'platform' | 'signals' | 'log'>,
  isLast: boolean,
): Promise<void> {
  const deleteMessages = async (): Promise<void> => {
    const { messages, isIncomplete } = await findOrphanedMessages(turn, context);
    if (messages.length > 0) await context.platform.deleteAnswer(turn, messages, false);
    if (isIncomplete) throw new Error('The platform did not allow to look for all messages.');
  };
  const results = await Promise.allSettled([endStatus(turn, context), deleteMessages()]);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return;
  if (!isLast) throw failure.reason;
  context.log('answer.message-delete-failed', {
    ...turn.thread,
    turn: turn.message,
    ...getErrorFacts(failure.reason),
  });
}

/**
 * A deletion a minute after a question was sent is only noticed if the question was recorded before: see `TurnSignals.canStillBeAccepted`. Less than
 * that (ms), since clocks differ.
 */
const UNNOTICED_AFTER_MS = 50_000;

/**
 * Whether an unanswered question was deleted before it was recorded, so that the deletion is not stored. The task of a late question checks
 * that itself, and an edit that replaces it has to. Calls the platform for older questions only.
 */
export const isDeletedUnnoticed = async (
  turn: TurnRef,
  { platform, time }: Pick<ChatContext, 'platform' | 'time'>,
): Promise<boolean> =>
  time.now() - getMessageTimeMs(turn.message) >= UNNOTICED_AFTER_MS && platform.isDeleted(turn);
