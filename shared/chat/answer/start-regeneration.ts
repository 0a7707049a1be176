import {
  canContinueAnswer,
  type MessageId,
  type RegenerateTask,
  type Turn,
  type TurnOutcome,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { resolveReaderLocale } from '../../settings/index.ts';
import { type ThreadHistory, TurnTooLargeError } from '../../storage/index.ts';
import { releaseClaim, RECONCILE_AFTER_MS, type AnswerWork, type ClaimedTurn } from '../access/with-claim.ts';
import { republish } from './answer-question.ts';
import { withDeletionCheck } from './cancellation-watcher.ts';
import { deleteFollowUps, deleteAnswer, isDeletedUnnoticed } from './delete-answer.ts';
import { streamAnswer } from './stream-answer.ts';
import { readMissingContext, withoutDeletedQuestions, withoutErasedLines } from '../prompt/prompt-history.ts';
import {
  isStoppedBefore,
  chooseOutcome,
  getRegenerationMode,
  selectFiles,
  removesQuestion,
  type RegenerateRequest,
  applyRegenerateTask,
  withNotice,
} from './regenerate-request.ts';
import { type CommitOutcome, publishStoredAnswer, toStoredFiles } from './finish-answer.ts';
import { localize } from '../../i18n/index.ts';
import { showVersion, withVersion } from './show-version.ts';

/**
 * Applies an allowed request, or deletes the answer if no question is left. `unpostedNotice`: a notice that could not be posted
 * ephemerally; it is added below the kept answer.
 */
export async function startRegeneration(
  task: RegenerateTask,
  past: ThreadHistory,
  work: AnswerWork,
  unpostedNotice?: string,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const requested = applyRegenerateTask(task, claim);
  if (!requested) return deleteAnswer(turn, claim, context);
  const request = await withoutErased(requested, work);
  // The answer may also belong to others, and a new request could fail.
  if (claim.ended && removesQuestion(task))
    return removeQuestion(claim.ended, { task, request, past, unpostedNotice }, work);
  // A closed thread gets no new answer: a stored one is kept.
  if (past.isClosed && claim.ended) return leaveUnchanged(task, work);
  if (past.isClosed || (!claim.ended && (await isDeletedUnnoticed(turn, context))))
    return deleteAnswer(turn, claim, context);
  const version = claim.ended && withVersion(task, claim.ended);
  if (version) return showVersion({ ...request, outcome: version }, { task, past }, work);
  const remaining = await withoutDeleted(task, request, work);
  return remaining ? requestAnswer(task, remaining, past, work) : leaveUnchanged(task, work);
}

/**
 * Returns the request without the questions that were deleted since it was queued: the tasks that remove them follow. Undefined if the
 * question that it is about is one of them, or if no other is left.
 */
async function withoutDeleted(
  { change }: RegenerateTask,
  request: RegenerateRequest,
  { turn, context }: AnswerWork,
): Promise<RegenerateRequest | undefined> {
  const { message, mergedQuestions } = request;
  const messages = [message, ...mergedQuestions.map((one) => one.message)];
  const deleted = await context.turns.findDeleted(turn.thread, messages);
  if (change.kind === 'edited' && deleted.has(change.editedMessage)) return undefined;
  const remaining = mergedQuestions.filter((one) => !deleted.has(one.message));
  if (!deleted.has(message)) return { ...request, mergedQuestions: remaining };
  return remaining.length === 0
    ? undefined
    : { ...request, question: '', pictures: [], mergedQuestions: remaining };
}

/** The messages of the questions in a request. The first has no words once it was deleted. */
const listQuestions = ({ message, question, mergedQuestions }: RegenerateRequest): MessageId[] => [
  ...(question === '' ? [] : [message]),
  ...mergedQuestions.map((one) => one.message),
];

/** Asks the model again. */
async function requestAnswer(
  task: RegenerateTask,
  request: RegenerateRequest,
  past: ThreadHistory,
  work: AnswerWork,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  // The follow-up questions belong to the replaced answer.
  const cleared = deleteFollowUps(turn.thread, claim.followUps, context);
  const input = {
    ...request,
    isBeforeUnread: undefined,
    ...selectFiles(task, request),
    past: withoutDeletedQuestions(past),
    ...getRegenerationMode(task, claim.ended?.outcome),
  };
  const readMessages = () => readMissingContext(turn, claim.ended, past, context);
  const checked = withDeletionCheck(work, listQuestions(request));
  const result = await streamAnswer(checked, input, readMessages, rewriteTurn(request, task, work));
  await cleared;
  return result;
}

/** Stores the new outcome in place of the previous one, or keeps that: see `chooseOutcome`. */
const rewriteTurn =
  (request: RegenerateRequest, task: RegenerateTask, work: AnswerWork): CommitOutcome =>
  async (newest, { question, content, position, hasReadFiles, isQuestionOnly }) => {
    const { turn, claim, context } = work;
    const { change, key } = task;
    const chosen = chooseOutcome(newest, claim.ended?.outcome, change);
    const keepsPrevious = chosen !== newest;
    const outcome = keepsPrevious ? await notifyKept(chosen, newest, task, work) : newest;
    const reconcileAt = context.time.now() + RECONCILE_AFTER_MS;
    // The previous answer stays, with the current text of the question.
    const isWhole = !isQuestionOnly || (keepsPrevious && change.kind !== 'edited');
    const pictures = toStoredFiles(request.pictures ?? [], { hasReadFiles });
    const stored = isWhole
      ? await withoutErased({ ...request, ...content, pictures }, work)
      : { message: turn.message, edit: request.edit };
    await context.turns
      .rewrite(turn, claim.fence, { ...stored, question, outcome }, position, key, reconcileAt)
      .catch((error: unknown) => {
        if (!keepsPrevious || !(error instanceof TurnTooLargeError)) throw error;
        // Stored by a version with a larger limit. Keep it and repair the thread.
        return context.turns.scheduleReconcile(turn, reconcileAt);
      });
    return outcome;
  };

const withoutErased = async (
  request: RegenerateRequest,
  { turn, context }: AnswerWork,
): Promise<RegenerateRequest> => ({
  ...request,
  contextLines: await withoutErasedLines(request.contextLines, turn.thread, context),
});

/**
 * Tells the person why the previous answer is kept: ephemerally or, if that fails, with a notice below the answer. With an interaction token the answer is
 * posted once more: an ephemeral response could take its place, visible for all.
 */
async function notifyKept(
  keptOutcome: TurnOutcome,
  newOutcome: TurnOutcome,
  { by, interactionToken }: RegenerateTask,
  { turn, context }: AnswerWork,
): Promise<TurnOutcome> {
  // A person who clicked Stop needs no reason.
  if (isStoppedBefore(newOutcome)) return keptOutcome;
  const locale = await resolveReaderLocale(by, turn, context);
  const why =
    newOutcome.kind === 'failed' ? newOutcome.text.trim() : localize(locale, 'answers.redo.interrupted');
  const isTold = interactionToken === undefined && (await context.platform.postEphemeral(turn, by, why));
  return isTold ? keptOutcome : withNotice(keptOutcome, why);
}

type QuestionRemoval = {
  readonly task: RegenerateTask;
  readonly request: RegenerateRequest;
  readonly past: ThreadHistory;
  readonly unpostedNotice: string | undefined;
};

/** Removes one question from a turn. The answer stays, without a new request. */
async function removeQuestion(
  ended: Turn,
  { task, request, past, unpostedNotice }: QuestionRemoval,
  { turn, claim, context, delivery }: AnswerWork,
): Promise<TaskResult> {
  const reconcileAt = context.time.now() + RECONCILE_AFTER_MS;
  const position = { from: past.from, number: past.number };
  const canAddNotice = unpostedNotice !== undefined && canContinueAnswer(request, ended.outcome.text);
  const outcome = canAddNotice ? withNotice(ended.outcome, unpostedNotice) : ended.outcome;
  await context.turns.rewrite(turn, claim.fence, { ...request, outcome }, position, task.key, reconcileAt);
  if (canAddNotice || isRetried(task, delivery))
    await publishStoredAnswer(turn, { ...ended, outcome }, claim.posted, context);
  return { kind: 'done' };
}

/** Whether an earlier attempt may have posted another text: then the stored answer is published again. */
const isRetried = (
  { round }: RegenerateTask,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): boolean => isRedelivery || round > 0;

/**
 * Ends the task without a change. An earlier attempt may have posted a part of another answer: then the stored one is shown again, also when
 * a late write of that attempt has arrived.
 */
export const leaveUnchanged = (
  task: RegenerateTask,
  { turn, claim, context, delivery }: ClaimedTurn,
): Promise<TaskResult> =>
  claim.ended && isRetried(task, delivery)
    ? republish(turn, claim.ended, claim, context)
    : releaseClaim(turn, claim, context);
