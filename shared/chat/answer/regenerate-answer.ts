import type { ChatContext } from '../context.ts';
import {
  type MessageId,
  type RegenerateTask,
  getTaskTurnRef,
  type TurnRef,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { findAccessRefusal, isSilent } from '../../settings/rules/index.ts';
import { getTurnSettingsPlace, withSettings, resolveReaderLocale } from '../../settings/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { findModelRefusal } from '../model/model-refusal.ts';
import {
  withClaim,
  type HeldClaim,
  type Lease,
  releaseClaim,
  type AnswerWork,
  type ClaimedTurn,
} from '../access/with-claim.ts';
import { findAnsweringTurn } from './answer-question.ts';
import { deleteAnswer } from './delete-answer.ts';
import {
  getIgnoredSignals,
  findRegenerateRefusal,
  isAboutMergedQuestion,
  isDuplicateClick,
  isEdit,
  isStaleEdit,
  isTooLate,
  removesQuestion,
  applyRegenerateTask,
} from './regenerate-request.ts';
import { leaveUnchanged, startRegeneration } from './start-regeneration.ts';
import { describeFailure } from '../display/error-messages.ts';
import { publishStoredAnswer } from './finish-answer.ts';
import { formatOwnDataCommands, type Locale, localize, type TextKey } from '../../i18n/index.ts';

/**
 * Regenerates an answer in place after an edit or a button click. Idempotent: a redelivery only posts the stored answer. Logs the end: the change may
 * have been applied before, and then nothing else shows that the task has run.
 */
export async function regenerateAnswer(
  task: RegenerateTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const result = await regenerate(task, context, delivery);
  if (result.kind === 'done') context.log('answer.change-ended', { message: task.message });
  return result;
}

function regenerate(
  task: RegenerateTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  // For a merged question, `asker` is the author of that question, not the owner of the turn.
  const turn = getTaskTurnRef(task);
  const { isRedelivery, mayRunTwice, queueMessage } = delivery;
  const work = (claim: HeldClaim, lease: Lease): Promise<TaskResult> =>
    regenerateClaimed(task, { turn, claim, lease, context, delivery });
  // A button may outlive its answer. An edit of a deleted turn needs no reply.
  const refuseGone =
    task.change.kind === 'edited'
      ? undefined
      : () => postRefusal('answers.redo.gone', task, { turn, context });
  return withClaim(turn, { context, isRedelivery, mayRunTwice, queueMessage }, work, refuseGone);
}

/** Regenerates the answer of a claimed turn, or leaves it unchanged and tells the person why. */
async function regenerateClaimed(task: RegenerateTask, claimed: ClaimedTurn): Promise<TaskResult> {
  const { turn, claim, context, delivery } = claimed;
  const past = await context.turns.history(turn);
  const into = await turnMergedInto(claim, turn, past, context);
  if (into) {
    await releaseClaim(turn, claim, context);
    return regenerate({ ...task, message: into }, context, delivery);
  }
  if (claim.ended && claim.revision === task.key) {
    await publishStoredAnswer(turn, claim.ended, claim.posted, context);
    return releaseClaim(turn, claim, context);
  }
  if (await isObsolete(task, claimed)) return leaveUnchanged(task, claimed);
  const refusal = findRegenerateRefusal(task, claim) ?? (await findPersonRefusal(task, context));
  if (refusal) return refuse(refusal, task, claimed);
  const locale = await resolveReaderLocale(task.by, turn, context);
  const modelRefusal = await findButtonModelRefusal(task, locale, context);
  if (modelRefusal !== undefined) {
    await context.platform.postEphemeral(turn, task.by, modelRefusal, hasPublicDeferral(task));
    return leaveUnchanged(task, claimed);
  }
  const work = await toOwnerWork(task, claimed);
  return isAboutMergedQuestion(task)
    ? regenerateWithoutMerged(task, past, work)
    : startRegeneration(task, past, work);
}

/** Whether a later change, or another click, has taken the place of the request. */
async function isObsolete(task: RegenerateTask, { turn, claim, context }: ClaimedTurn): Promise<boolean> {
  if (isStaleEdit(task, claim) || isTooLate(task, claim) || isDuplicateClick(task, claim)) return true;
  // Two clicks with a message each: the later one gets the answer.
  return task.interactionToken !== undefined && context.platform.isSuperseded(turn, task.interactionToken);
}

/** Tells the person why the request is refused, and keeps the answer. An edited question without an answer is removed. */
async function refuse(refusal: TextKey, task: RegenerateTask, claimed: ClaimedTurn): Promise<TaskResult> {
  const { turn, claim, context } = claimed;
  const isUnanswered = isEdit(task.key) && !hasEnded(claim);
  // In silent mode, only interactions get a reply.
  const isTold = refusal !== 'settings.refused.silent' || !isEdit(task.key);
  if (isTold) await postRefusal(refusal, task, claimed, isUnanswered);
  return isUnanswered ? deleteAnswer(turn, claim, context) : leaveUnchanged(task, claimed);
}

/** Whether the click was deferred publicly: the next response with the interaction token replaces the public “thinking” message, so everybody would see it. */
const hasPublicDeferral = ({ interactionToken }: RegenerateTask): boolean => interactionToken !== undefined;

/** Posts a refusal that only the person sees. `replacesAnswer`: no answer follows. */
async function postRefusal(
  refusal: TextKey,
  task: RegenerateTask,
  { turn, context }: Pick<ClaimedTurn, 'turn' | 'context'>,
  replacesAnswer = false,
): Promise<void> {
  const { by } = task;
  const locale = await resolveReaderLocale(by, turn, context);
  const text = localize(locale, refusal, formatOwnDataCommands({ platform: turn.thread.platform, locale }));
  await context.platform.postEphemeral(turn, by, text, replacesAnswer || hasPublicDeferral(task));
}

/** The same work for the owner of the turn: under their settings, and charged to them. */
async function toOwnerWork(task: RegenerateTask, claimed: ClaimedTurn): Promise<AnswerWork> {
  const { turn, claim, context } = claimed;
  const { asker, askerWorkspace, revision } = claim;
  const owner: TurnRef = { ...turn, asker, askerWorkspace };
  return {
    ...claimed,
    turn: owner,
    context: asker === turn.asker ? context : await withSettings(getTurnSettingsPlace(owner), context),
    prefetchedPermit: undefined,
    includedEdit: [task.key, revision].find((key) => key !== undefined && isEdit(key)),
    ignoredSignals: getIgnoredSignals(task),
  };
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
    if (!removesQuestion(task)) await postRefusal('answers.redo.gone', task, work);
    return leaveUnchanged(task, work);
  }
  const refusal = removesQuestion(task) ? undefined : await context.budgets.findPersonalRefusal(thread, by);
  if (!refusal) return startRegeneration(task, past, work);
  const locale = await resolveReaderLocale(by, turn, context);
  const { zone } = context.settings;
  const why = describeFailure(refusal, { now: context.time.now(), zone, locale })?.sentence ?? '';
  const removal: RegenerateTask = { ...task, change: { ...change, question: '', attachments: [] } };
  const hasOtherQuestions = applyRegenerateTask(removal, claim) !== undefined;
  const notice = hasOtherQuestions ? `${why}\n\n${localize(locale, 'answers.redo.taken-out')}` : why;
  const isPosted = await context.platform.postEphemeral(turn, by, notice);
  return hasOtherQuestions
    ? startRegeneration(removal, past, work, isPosted ? undefined : notice)
    : leaveUnchanged(task, work);
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
  { change, thread: { platform } }: RegenerateTask,
  locale: Locale,
  context: ChatContext,
): Promise<string | undefined> =>
  change.kind === 'regenerate' && change.model !== undefined
    ? findModelRefusal(change.model, { locale, platform }, context)
    : undefined;
