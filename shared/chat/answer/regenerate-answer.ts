import type { ChatContext } from '../context.ts';
import {
  canContinueAnswer,
  type MessageId,
  type RegenerateTask,
  type Turn,
  type TurnOutcome,
  taskTurnRef,
  type TurnRef,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { findAccessRefusal, isSilent } from '../../settings/rules/index.ts';
import { getTurnSettingsPlace, withSettings, resolveReaderLocale } from '../../settings/index.ts';
import { type ThreadHistory, TurnTooLargeError } from '../../storage/index.ts';
import { findModelRefusal } from '../model/model-refusal.ts';
import {
  withClaim,
  type HeldClaim,
  type Lease,
  releaseClaim,
  RECONCILE_AFTER_MS,
  type AnswerWork,
} from '../access/with-claim.ts';
import { findAnsweringTurn, republish } from './answer-question.ts';
import { deleteFollowUps, deleteAnswer, isDeletedUnnoticed } from './delete-answer.ts';
import { streamAnswer } from './stream-answer.ts';
import { missingContext, withoutErasedLines } from '../prompt/prepare-question.ts';
import {
  ignoredSignals,
  findRegenerateRefusal,
  isAboutMergedQuestion,
  isDuplicateClick,
  isEdit,
  isStaleEdit,
  isStoppedBefore,
  isTooLate,
  chooseOutcome,
  regenerationMode,
  removesQuestion,
  type RegenerateRequest,
  requestedTurn,
  withNotice,
} from './regenerate-request.ts';
import { describeFailure } from '../display/error-messages.ts';
import { publishStoredAnswer } from './finish-answer.ts';
import { type Locale, localize, type TextKey } from '../../i18n/index.ts';
import { showVersion, withVersion } from './show-version.ts';

/** Regenerates an answer in place after an edit or a button click. Idempotent: a redelivery only posts the stored answer. */
export function regenerateAnswer(
  task: RegenerateTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  // For a merged question, `asker` is the author of that question, not the owner of the turn.
  const turn = taskTurnRef(task);
  const locale = () => resolveReaderLocale(task.by, turn, context);
  const postEphemeral = async (words: string, replacesAnswer = false): Promise<void> =>
    void (await context.platform.postEphemeral(turn, task.by, words, replacesAnswer));
  const refuse = async (why: TextKey, replacesAnswer = false): Promise<void> =>
    postEphemeral(localize(await locale(), why), replacesAnswer);
  // A button may outlive its answer. An edit of a deleted turn needs no reply.
  const refuseGone = task.change.kind === 'edited' ? undefined : () => refuse('answers.redo.gone');
  const work = async (claim: HeldClaim, lease: Lease): Promise<TaskResult> => {
    const past = await context.turns.history(turn);
    const into = await turnMergedInto(claim, turn, past, context);
    if (into) {
      await releaseClaim(turn, claim, context);
      return regenerateAnswer({ ...task, message: into }, context, delivery);
    }
    if (claim.ended && claim.revision === task.key) {
      await publishStoredAnswer(turn, claim.ended, claim.posted, context);
      return releaseClaim(turn, claim, context);
    }
    const unchanged = { turn, claim, context, delivery };
    if (isStaleEdit(task, claim) || isTooLate(task, claim) || isDuplicateClick(task, claim))
      return leaveUnchanged(task, unchanged);
    // Two clicks with a message each: the later one gets the answer.
    if (task.interactionToken && (await context.platform.isSuperseded(turn, task.interactionToken)))
      return leaveUnchanged(task, unchanged);
    const refusal = findRegenerateRefusal(task, claim) ?? (await findPersonRefusal(task, context));
    if (refusal) {
      // In silent mode, only interactions get a reply.
      const unanswered = isEdit(task.key) && !hasEnded(claim);
      if (refusal !== 'settings.refused.silent' || !isEdit(task.key)) await refuse(refusal, unanswered);
      return unanswered ? deleteAnswer(turn, claim, context) : leaveUnchanged(task, unchanged);
    }
    const wrongModel = await findButtonModelRefusal(task, await locale(), context);
    if (wrongModel !== undefined) {
      await postEphemeral(wrongModel);
      return leaveUnchanged(task, unchanged);
    }
    const includedEdit = [task.key, claim.revision].find((key) => key !== undefined && isEdit(key));
    const { asker, askerWorkspace } = claim;
    const owner: TurnRef = { ...turn, asker, askerWorkspace };
    const asOwner = asker === turn.asker ? context : await withSettings(getTurnSettingsPlace(owner), context);
    const signals = { includedEdit, ignoredSignals: ignoredSignals(task) };
    const regeneration: AnswerWork = { turn: owner, claim, lease, context: asOwner, delivery, ...signals };
    return isAboutMergedQuestion(task)
      ? regenerateWithoutMerged(task, past, regeneration)
      : startRegeneration(task, past, regeneration);
  };
  const { isRedelivery, mayRunTwice, queueMessage } = delivery;
  return withClaim(turn, { context, isRedelivery, mayRunTwice, queueMessage }, work, refuseGone);
}

/**
 * Handles an edit of a merged question: it is removed, or answered again with the rest of the turn, charged to the owner of
 * the turn. If its author may no longer ask, it is removed: the new text must not be charged to another person.
 */
async function regenerateWithoutMerged(
  task: RegenerateTask,
  past: ThreadHistory,
  work: AnswerWork,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const { change, by, thread } = task;
  const isMerged =
    change.kind === 'edited' &&
    claim.ended?.mergedQuestions?.some(({ message }) => message === change.editedMessage);
  if (!isMerged) {
    const goneNotice = localize(await resolveReaderLocale(by, turn, context), 'answers.redo.gone');
    if (!removesQuestion(task)) await context.platform.postEphemeral(turn, by, goneNotice);
    return leaveUnchanged(task, work);
  }
  const refusal = removesQuestion(task) ? undefined : await context.budgets.findPersonalRefusal(thread, by);
  if (!refusal) return startRegeneration(task, past, work);
  const locale = await resolveReaderLocale(by, turn, context);
  const { zone } = context.settings;
  const why = describeFailure(refusal, { now: context.time.now(), zone, locale })?.sentence ?? '';
  const removal: RegenerateTask = { ...task, change: { ...change, question: '', attachments: [] } };
  const hasOtherQuestions = requestedTurn(removal, claim) !== undefined;
  const notice = hasOtherQuestions ? `${why}\n\n${localize(locale, 'answers.redo.taken-out')}` : why;
  const isPosted = await context.platform.postEphemeral(turn, by, notice);
  return hasOtherQuestions
    ? startRegeneration(removal, past, work, isPosted ? undefined : notice)
    : leaveUnchanged(task, work);
}

/**
 * Applies the request, or deletes the answer if no question is left. `unpostedNotice`: a notice that could not be posted
 * ephemerally; it is added below the kept answer.
 */
async function startRegeneration(
  task: RegenerateTask,
  past: ThreadHistory,
  work: AnswerWork,
  unpostedNotice?: string,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const requested = requestedTurn(task, claim);
  if (!requested) return deleteAnswer(turn, claim, context);
  const withoutErased = async (of: RegenerateRequest): Promise<RegenerateRequest> => ({
    ...of,
    contextLines: await withoutErasedLines(of.contextLines, turn.thread, context),
  });
  const request = await withoutErased(requested);
  // The answer may also belong to others, and a new request could fail.
  if (claim.ended && removesQuestion(task))
    return removeQuestion(claim.ended, { task, request, past, unpostedNotice }, work);
  // A closed thread gets no new answer: a stored one is kept.
  if (!claim.ended && (past.closed || (await isDeletedUnnoticed(turn, context))))
    return deleteAnswer(turn, claim, context);
  if (past.closed && claim.ended) return leaveUnchanged(task, work);
  const version = claim.ended && withVersion(task, claim.ended);
  if (version) return showVersion({ ...request, outcome: version }, { task, past }, work);
  // The follow-up questions belong to the replaced answer.
  const cleared = deleteFollowUps(turn.thread, claim.followUps, context);
  const { change } = task;
  const { unread, ...before } = await missingContext(turn, claim.ended, past, context);
  const content = { ...request, isBeforeUnread: undefined, ...before };
  const input = {
    ...content,
    unread,
    attachments: change.kind === 'edited' ? change.attachments : [],
    pictures: change.kind === 'edited' ? [] : (content.pictures ?? []),
    past,
    ...regenerationMode(task, claim.ended?.outcome),
  };
  const result = await streamAnswer(work, input, async (newest, { question, position, isQuestionOnly }) => {
    const chosen = chooseOutcome(newest, claim.ended?.outcome, change);
    const keepsPrevious = chosen !== newest;
    const outcome = keepsPrevious ? await notifyKept(chosen, newest, task, work) : newest;
    const reconcileAt = context.time.now() + RECONCILE_AFTER_MS;
    // The previous answer stays, with the current text of the question.
    const isWhole = !isQuestionOnly || (keepsPrevious && change.kind !== 'edited');
    const stored = {
      ...(isWhole ? await withoutErased(content) : { message: turn.message, edit: content.edit }),
      question,
      outcome,
    };
    await context.turns
      .rewrite(turn, claim.fence, stored, position, task.key, reconcileAt)
      .catch((error: unknown) => {
        if (!keepsPrevious || !(error instanceof TurnTooLargeError)) throw error;
        // Stored by a version with a larger limit. Keep it and repair the thread.
        return context.turns.scheduleReconcile(turn, reconcileAt);
      });
    return outcome;
  });
  await cleared;
  return result;
}

/** Tells the person why the previous answer is kept: ephemerally or, if that fails, with a notice below the answer. */
async function notifyKept(
  keptOutcome: TurnOutcome,
  newOutcome: TurnOutcome,
  { by }: RegenerateTask,
  { turn, context }: AnswerWork,
): Promise<TurnOutcome> {
  // A person who clicked Stop needs no reason.
  if (isStoppedBefore(newOutcome)) return keptOutcome;
  const locale = await resolveReaderLocale(by, turn, context);
  const why =
    newOutcome.kind === 'failed' ? newOutcome.text.trim() : localize(locale, 'answers.redo.interrupted');
  return (await context.platform.postEphemeral(turn, by, why)) ? keptOutcome : withNotice(keptOutcome, why);
}

type MergedRemoval = {
  readonly task: RegenerateTask;
  readonly request: RegenerateRequest;
  readonly past: ThreadHistory;
  readonly unpostedNotice: string | undefined;
};

/** Whether an earlier attempt may have posted another text: then the stored answer is published again. */
const isRetried = (
  { round }: RegenerateTask,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): boolean => isRedelivery || round > 0;

/** Removes one question from a turn. The answer stays, without a new request. */
async function removeQuestion(
  ended: Turn,
  { task, request, past, unpostedNotice }: MergedRemoval,
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

/** Whether the turn has ended, also if its outcome is unreadable. */
const hasEnded = ({ ended, unreadable }: HeldClaim): boolean => ended !== undefined || unreadable;

/** Returns the turn into which this question was merged. */
const turnMergedInto = async (
  claim: HeldClaim,
  turn: TurnRef,
  past: ThreadHistory,
  context: ChatContext,
): Promise<MessageId | undefined> =>
  claim.mergedInto ?? (hasEnded(claim) ? undefined : await findAnsweringTurn(turn, past, context));

/**
 * Ends the task without a change. An earlier attempt may have posted a part of another answer: then the stored one is shown again, also when
 * a late write of that attempt has arrived.
 */
const leaveUnchanged = (
  task: RegenerateTask,
  { turn, claim, context, delivery }: Pick<AnswerWork, 'turn' | 'claim' | 'context' | 'delivery'>,
): Promise<TaskResult> =>
  claim.ended && isRetried(task, delivery)
    ? republish(turn, claim.ended, claim, context)
    : releaseClaim(turn, claim, context);

/** Checks the current permission, also for old questions. Removal is always allowed. */
async function findPersonRefusal(task: RegenerateTask, context: ChatContext): Promise<TextKey | undefined> {
  const { layers } = context.settings;
  if (removesQuestion(task)) return undefined;
  if (isSilent(layers)) return 'settings.refused.silent';
  const { by: user, thread } = task;
  const refusal = await findAccessRefusal({ user, channel: thread.channel }, layers, () =>
    context.memberRoles(thread, user),
  );
  return refusal && `settings.refused.${refusal}`;
}

/** Checks the model of the button: it may be locked or removed by now. */
const findButtonModelRefusal = async (
  { change }: RegenerateTask,
  locale: Locale,
  context: ChatContext,
): Promise<string | undefined> =>
  change.kind === 'regenerate' && change.model !== undefined
    ? findModelRefusal(change.model, locale, context)
    : undefined;
