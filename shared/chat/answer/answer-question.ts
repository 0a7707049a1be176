import type { ChatContext } from '../context.ts';
import { findModelRefusal } from '../model/model-refusal.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import {
  type QueueDelivery,
  type TaskResult,
  type AskTask,
  type TurnOutcome,
  isMedia,
  type Turn,
  taskTurnRef,
  type TurnRef,
} from '../../domain/index.ts';
import type { ThreadHistory, PendingQuestion } from '../../storage/index.ts';
import { isFromBeforeErasure } from '../access/is-from-before-erasure.ts';
import { withClaim, type HeldClaim } from '../access/with-claim.ts';
import { PrefetchedPermit, permitHolder } from '../model/wait-for-permit.ts';
import { questionWithMerged, mergeQuestions, canMerge } from './merged-questions.ts';
import { deleteFollowUps } from './delete-bot-messages.ts';
import { contextPrompt, withoutErasedLines } from '../prompt/context-messages.ts';
import { RECONCILE_AFTER_MS, streamAnswer, type AnswerWork } from './stream-answer.ts';
import { publishStoredAnswer } from './publish-stored-answer.ts';
import { isStillQueued } from '../model/queue-place.ts';
import { deleteAnswer } from './delete-answer.ts';

const DONE: TaskResult = { kind: 'done' };

/**
 * Answers a question, together with questions that arrived after it: claims the turn, reads the history, streams the
 * completion, commits the turn in one write, and publishes the final text. May be interrupted after any step and delivered
 * again: completed steps are not repeated, and a committed answer is only published again.
 *
 * Rejects if the table or the platform is unavailable; the queue then delivers the task again.
 */
export async function answerQuestion(
  task: AskTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const queued = await isStillQueued(taskTurnRef(task), context, delivery);
  if (queued) return queued;
  // Fetch a permit while the turn is claimed; an unused one is released. Redeliveries and questions with files take their
  // permit later.
  const canPrefetch = !delivery.isRedelivery && task.attachments.length === 0 && task.question.trim() !== '';
  const prefetchedPermit = canPrefetch
    ? new PrefetchedPermit(permitHolder(task.thread, task.asker), context)
    : undefined;
  try {
    return await answerWith(prefetchedPermit, task, context, delivery);
  } finally {
    await prefetchedPermit?.end();
  }
}

function answerWith(
  prefetchedPermit: PrefetchedPermit | undefined,
  task: AskTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const turn = taskTurnRef(task);
  // Read in parallel with the claim: the previous turn has ended, because the queue keeps the order of a thread.
  const startsThread = turn.message === turn.thread.root && !delivery.isRedelivery && !task.late;
  const pendingHistory = context.turns.history(turn, startsThread);
  pendingHistory.catch(() => undefined);
  return withClaim(turn, { context, again: delivery.isRedelivery }, async (claim, lease) => {
    if (claim.ended) return republish(turn, claim.ended, claim, context);
    if (claim.unreadable) return skipTurn(turn, claim, context);
    // Merged into another turn; or changed, and another task handles the change.
    if (claim.mergedInto || claim.signal === 'deleted' || isEditedSince(task, claim))
      return release(turn, claim, context);
    // Nothing is posted for it yet, and after an uninstall the platform can no longer be called.
    if (task.late && (await isFromBeforeErasure(task, context))) return drop(turn, claim, context);
    const past = await pendingHistory;
    if (await mergeQuestions(turn, past, context)) return DONE;
    // The question or the root message of the thread was deleted during the intake.
    const isDeleted = past.closed || (task.late && (await context.platform.isDeleted(turn)));
    if (isDeleted) return deleteAnswer(turn, claim, context);
    const includedEdit = task.edit;
    return answerNew(task, past, { turn, claim, lease, context, delivery, prefetchedPermit, includedEdit });
  });
}

/** Whether the question has a later text than this task: it was edited, or recorded from an edit that arrived first. */
function isEditedSince(
  { edit = '' }: Pick<AskTask, 'edit'>,
  { signal, signalKey, recordedEdit = '' }: HeldClaim,
): boolean {
  return recordedEdit > edit || (signal === 'edited' && (signalKey === undefined || signalKey > edit));
}

/** Publishes an answer that an earlier attempt committed. */
async function republish(
  turn: TurnRef,
  ended: Turn,
  claim: HeldClaim,
  context: ChatContext,
): Promise<TaskResult> {
  await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  await publishStoredAnswer(turn, ended, claim.posted, context);
  // The next change must not wait until the claim expires.
  return release(turn, claim, context);
}

/** Skips a turn with an unreadable stored answer, so that it is not answered twice. */
async function skipTurn(turn: TurnRef, claim: HeldClaim, context: ChatContext): Promise<TaskResult> {
  context.log('turn.unreadable', { message: turn.message });
  return release(turn, claim, context);
}

async function drop(turn: TurnRef, { fence }: HeldClaim, context: ChatContext): Promise<TaskResult> {
  context.log('question.erased', { message: turn.message });
  await context.turns.remove(turn, fence);
  return DONE;
}

async function release(turn: TurnRef, { fence }: HeldClaim, context: ChatContext): Promise<TaskResult> {
  await context.turns.renew(turn, fence, 0);
  return DONE;
}

async function answerNew(task: AskTask, past: ThreadHistory, work: AnswerWork): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const refusal =
    task.model === undefined
      ? undefined
      : await findModelRefusal(task.model, await resolveTurnLocale(turn, context), context);
  // A refused or stopped question must not answer the questions of others.
  const isAsked = refusal === undefined && claim.signal !== 'stopped';
  const folded = isAsked ? await canMerge(mergeableQuestions(past), turn, context) : [];
  await Promise.all(folded.map((one) => context.platform.acknowledge(one.turn)));
  const { unread, ...before } = await contextPrompt(turn, past, context);
  // The follow-up questions of the last answer are obsolete.
  const cleared = deleteFollowUps(turn.thread, past.turns.at(-1)?.followUps, context);
  const asked = {
    question: task.question,
    folded: folded.map((one) => ({
      message: one.turn.message,
      question: questionWithMerged(turn.asker, one.turn.asker, one.question),
    })),
    ...before,
    unread,
    attachments: task.attachments,
    pictures: [],
    past,
    model: task.model,
    refusal,
    receivedAt: task.receivedAt,
  };
  const result = await streamAnswer(
    work,
    asked,
    async (ending, { question, position, reconcileAt, isQuestionOnly }) => {
      const pictures = task.attachments.filter(isMedia);
      const answered = isRefused(ending) ? folded.filter((one) => one.turn.asker === turn.asker) : folded;
      const messages = new Set(answered.map((one) => one.turn.message));
      const whole = {
        folded: asked.folded.filter(({ message }) => messages.has(message)),
        pictures,
        ...before,
        contextLines: await withoutErasedLines(before.contextLines, turn.thread, context),
      };
      const stored = {
        message: turn.message,
        question,
        edit: task.edit,
        ...(isQuestionOnly ? {} : whole),
        ending,
      };
      await context.turns.commit(turn, claim.fence, stored, position, reconcileAt);
      // Optional: the task of a merged question without this record finds it in this turn.
      await Promise.all(
        answered.map((one) => context.signals.markMerged(one.turn, turn.message).catch(() => undefined)),
      );
      return ending;
    },
  );
  await cleared;
  return result;
}

/** Whether the outcome is a refusal of the asker. Merged questions of others are then left to their own tasks. */
const isRefused = (ending: TurnOutcome): boolean =>
  ending.kind === 'failed' && ending.reason === 'over-budget';

/** Returns the waiting questions up to the first with files: questions with files are answered one by one. */
function mergeableQuestions({ waiting: pending, turns }: ThreadHistory): readonly PendingQuestion[] {
  // Their records may not yet say that an earlier turn has answered them.
  const answered = new Set(turns.flatMap(({ folded = [] }) => folded.map(({ message }) => message)));
  const waiting = pending.filter(({ turn }) => !answered.has(turn.message));
  const first = waiting.findIndex(({ attachments }) => attachments.length > 0);
  return first < 0 ? waiting : waiting.slice(0, first);
}
