import type { ChatContext } from '../context.ts';
import {
  type MessageId,
  type TurnRef,
  type UserId,
  type QueueDelivery,
  type TaskResult,
  type AskTask,
  type TurnOutcome,
  isIntegration,
  type Turn,
  getTaskTurnRef,
} from '../../domain/index.ts';
import type { ThreadHistory, PendingQuestion } from '../../storage/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { findAccessRefusal } from '../../settings/rules/index.ts';
import { findModelRefusal } from '../model/model-refusal.ts';
import { isFromBeforeErasure } from '../access/is-from-before-erasure.ts';
import {
  withClaim,
  type HeldClaim,
  type Lease,
  RECONCILE_AFTER_MS,
  type AnswerWork,
  releaseClaim,
} from '../access/with-claim.ts';
import { PrefetchedPermit, toHolder, returnIfStillQueued } from '../model/wait-for-permit.ts';
import { withDeletionCheck } from './cancellation-watcher.ts';
import { deleteFollowUps, deleteAnswer, deleteUnfinishedAnswer } from './delete-answer.ts';
import { readFirstContext, withoutDeletedQuestions } from '../prompt/prompt-history.ts';
import { streamAnswer } from './stream-answer.ts';
import { type CommitOutcome, contentToStore, publishStoredAnswer } from './finish-answer.ts';

/**
 * Returns the earlier turn that answered this question together with its own, if there is one. Records in the question that it was
 * merged: the worker of that turn may have crashed before it did.
 */
export async function findAnsweringTurn(
  turn: TurnRef,
  past: ThreadHistory,
  { signals }: Pick<ChatContext, 'signals'>,
): Promise<MessageId | undefined> {
  const answering = past.turns.find(({ mergedQuestions = [] }) =>
    mergedQuestions.some(({ message }) => message === turn.message),
  );
  if (answering) await signals.markMerged(turn, answering.message);
  return answering?.message;
}

/** Formats a merged question for the model. Names its asker unless that is the owner of the turn. */
export const formatMergedQuestion = (owner: string, asker: string, question: string): string =>
  asker === owner || question === '' ? question : `(another person, <@${asker}>:) ${question}`;

/**
 * How a waiting question of another person is handled: merged, or answered on its own account by its own task. `passed`: it is refused, or nobody but
 * the refused owner of the turn could join.
 */
type Merging = 'merged' | 'separate' | 'passed';

/**
 * Returns the waiting questions that may be answered in this turn, charged to its owner, up to the first that is answered separately: later ones would
 * be answered before it. Separate is a question
 *
 * - of a person with a budget of their own: charged to the owner, it would never be used up,
 * - of an integration.
 *
 * Passed over are those of a person who may not use the bot here, is blocked or has used up their budget. If the owner of the turn is refused, that
 * refusal is the answer to their own questions only.
 */
async function selectMergeable(
  waiting: readonly PendingQuestion[],
  owner: TurnRef,
  context: Pick<ChatContext, 'settings' | 'memberRoles' | 'budgets'>,
): Promise<readonly PendingQuestion[]> {
  // Each request of an integration gets an answer of its own, on its own account.
  if (isIntegration(owner.asker)) return [];
  const { thread, asker: payer } = owner;
  const others = [...new Set(waiting.map(({ turn }) => turn.asker))].filter((asker) => asker !== payer);
  if (others.length === 0) return waiting;
  const { budgets, settings } = context;
  const isOwnerRefused = (await budgets.findPersonalRefusal(thread, payer)) !== undefined;
  const decideMerging = async (user: UserId): Promise<Merging> => {
    if (isOwnerRefused) return 'passed';
    if (isIntegration(user)) return 'separate';
    const roles = () => context.memberRoles(thread, user);
    if (await findAccessRefusal({ user, channel: thread.channel }, settings.layers, roles)) return 'passed';
    if (!(await budgets.mustPayAlone(thread, user))) return 'merged';
    return (await budgets.findPersonalRefusal(thread, user)) ? 'passed' : 'separate';
  };
  const merging = new Map(
    await Promise.all(others.map(async (user) => [user, await decideMerging(user)] as const)),
  );
  const end = waiting.findIndex(({ turn }) => merging.get(turn.asker) === 'separate');
  return (end < 0 ? waiting : waiting.slice(0, end)).filter(
    ({ turn }) => (merging.get(turn.asker) ?? 'merged') === 'merged',
  );
}

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
  const queued = await returnIfStillQueued(getTaskTurnRef(task), context, delivery);
  if (queued) return queued;
  // Fetch a permit while the turn is claimed; an unused one is released. Redeliveries and questions with files take their
  // permit later.
  const canPrefetch = !delivery.isRedelivery && task.attachments.length === 0 && task.question.trim() !== '';
  const prefetchedPermit = canPrefetch
    ? new PrefetchedPermit(toHolder(task.thread, task.asker), context)
    : undefined;
  try {
    return await answerClaimed(prefetchedPermit, task, context, delivery);
  } finally {
    await prefetchedPermit?.end();
  }
}

function answerClaimed(
  prefetchedPermit: PrefetchedPermit | undefined,
  task: AskTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const turn = getTaskTurnRef(task);
  const { isRedelivery, mayRunTwice, queueMessage } = delivery;
  // Read in parallel with the claim: the previous turn has ended, because the queue keeps the order of a thread.
  const startsThread = turn.message === turn.thread.root && !isRedelivery && !task.late;
  const pendingHistory = context.turns.history(turn, startsThread);
  pendingHistory.catch(() => undefined);
  const work = async (claim: HeldClaim, lease: Lease): Promise<TaskResult> => {
    if (claim.ended) return republish(turn, claim.ended, claim, context);
    if (claim.unreadable) return skipTurn(turn, claim, context);
    // Merged into another turn; or changed, and another task handles the change.
    if (claim.mergedInto || claim.signal === 'deleted' || isEditedSince(task, claim))
      return releaseClaim(turn, claim, context);
    // Nothing is posted for it yet, and after an uninstall the platform can no longer be called.
    if (task.late && (await isFromBeforeErasure(task, context))) return removeErased(turn, claim, context);
    const past = await pendingHistory;
    if (await findAnsweringTurn(turn, past, context)) return releaseClaim(turn, claim, context);
    // The question or the root message of the thread was deleted during the intake.
    const isDeleted = past.isClosed || (task.late && (await context.platform.isDeleted(turn)));
    if (isDeleted) return deleteAnswer(turn, claim, context);
    const claimed = { turn, claim, lease, context, delivery };
    return answerNew(task, past, {
      ...claimed,
      prefetchedPermit,
      includedEdit: task.edit,
      ignoredSignals: [],
    });
  };
  // Erased or refused meanwhile. Nobody is told, so the log has to.
  const onGone = async (): Promise<void> => {
    context.log('question.missing', { ...turn.thread, message: turn.message });
    if (isRedelivery) await deleteUnfinishedAnswer(turn, context, delivery.isLast);
  };
  return withClaim(turn, { context, isRedelivery, mayRunTwice, queueMessage }, work, onGone);
}

/** Whether the question has a later text than this task: it was edited, or recorded from an edit that arrived first. */
function isEditedSince(
  { edit = '' }: Pick<AskTask, 'edit'>,
  { signal, signalKey, recordedEdit = '' }: HeldClaim,
): boolean {
  return recordedEdit > edit || (signal === 'edited' && (signalKey === undefined || signalKey > edit));
}

/** Publishes a stored answer again, and once more when no write of an earlier attempt can arrive any more. Frees the claim. */
export async function republish(
  turn: TurnRef,
  ended: Turn,
  claim: HeldClaim,
  context: Pick<ChatContext, 'turns' | 'time'> & Parameters<typeof publishStoredAnswer>[3],
): Promise<TaskResult> {
  await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  await publishStoredAnswer(turn, ended, claim.posted, context);
  return releaseClaim(turn, claim, context);
}

/** Skips a turn with an unreadable stored answer, so that it is not answered twice. */
async function skipTurn(turn: TurnRef, claim: HeldClaim, context: ChatContext): Promise<TaskResult> {
  context.log('turn.unreadable', { ...turn.thread, message: turn.message });
  return releaseClaim(turn, claim, context);
}

/** Removes a question that arrived before an erasure and was recorded after it. */
async function removeErased(turn: TurnRef, { fence }: HeldClaim, context: ChatContext): Promise<TaskResult> {
  context.log('question.erased', { message: turn.message });
  await context.turns.remove(turn, fence);
  return DONE;
}

/**
 * Returns why a question is not answered, as text for people: the platform hides its words from the bot, or the requested model cannot be
 * used. Undefined if it is.
 */
async function findQuestionRefusal(
  { hidden, model, thread }: Pick<AskTask, 'hidden' | 'model' | 'thread'>,
  findLocale: () => Promise<Locale>,
  context: Pick<ChatContext, 'chat' | 'settings'>,
): Promise<string | undefined> {
  if (hidden) return localize(await findLocale(), 'answers.hidden');
  if (model === undefined) return undefined;
  return findModelRefusal(model, { locale: await findLocale(), platform: thread.platform }, context);
}

/** Answers a question that has no answer yet, with the questions of the thread that wait behind it. */
async function answerNew(task: AskTask, past: ThreadHistory, work: AnswerWork): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const refusal = await findQuestionRefusal(task, () => resolveTurnLocale(turn, context), context);
  // A refused or stopped question must not answer the questions of others.
  const isAsked = refusal === undefined && claim.signal !== 'stopped';
  const mergedQuestions = isAsked
    ? await cutAtFiles(await selectMergeable(waitingQuestions(past), turn, context), context)
    : [];
  const acknowledged = Promise.all(mergedQuestions.map((one) => context.platform.acknowledge(one.turn)));
  // The follow-up questions of the last answer are obsolete.
  const followUps = past.turns.at(-1)?.followUps;
  const cleared = followUps && deleteFollowUps(turn.thread, followUps, context);
  const input = {
    question: task.question,
    mergedQuestions: mergedQuestions.map((one) => ({
      message: one.turn.message,
      question: formatMergedQuestion(turn.asker, one.turn.asker, one.question),
    })),
    attachments: task.attachments,
    pictures: [],
    past: withoutDeletedQuestions(past),
    model: task.model,
    refusal,
    receivedAt: task.receivedAt,
    searchToken: task.searchToken,
  };
  const commit: CommitOutcome = async (outcome, stored) => {
    const answered = isRefused(outcome)
      ? mergedQuestions.filter((one) => one.turn.asker === turn.asker)
      : mergedQuestions;
    const content = stored.isQuestionOnly ? {} : await contentToStore(answered, task, stored, work);
    const newTurn = {
      message: turn.message,
      question: stored.question,
      edit: task.edit,
      ...content,
      outcome,
    };
    await context.turns.commit(turn, claim.fence, newTurn, stored.position, stored.reconcileAt);
    // Optional: the task of a merged question without this record finds it in this turn.
    await Promise.all(
      answered.map((one) => context.signals.markMerged(one.turn, turn.message).catch(() => undefined)),
    );
    return outcome;
  };
  const checked = withDeletionCheck(work, [turn.message, ...mergedQuestions.map((one) => one.turn.message)]);
  const result = await streamAnswer(checked, input, () => readFirstContext(turn, past, context), commit);
  await Promise.all([acknowledged, cleared]);
  return result;
}

/** Whether the outcome is a refusal of the asker. Merged questions of others are then left to their own tasks. */
const isRefused = (outcome: TurnOutcome): boolean =>
  outcome.kind === 'failed' && outcome.reason === 'over-budget';

/** Returns the unanswered questions of the thread up to the first with files: questions with files are answered one by one. */
function waitingQuestions({ waiting: pending, turns }: ThreadHistory): readonly PendingQuestion[] {
  // Their records may not yet say that an earlier turn has answered them.
  const answered = new Set(
    turns.flatMap(({ mergedQuestions = [] }) => mergedQuestions.map(({ message }) => message)),
  );
  const waiting = pending.filter(({ turn }) => !answered.has(turn.message));
  const first = waiting.findIndex(({ attachments = [] }) => attachments.length > 0);
  return first < 0 ? waiting : waiting.slice(0, first);
}

/** Returns the questions up to the first whose message has files that its event did not list. If they cannot be read, it is answered without them. */
async function cutAtFiles(
  questions: readonly PendingQuestion[],
  { platform }: Pick<ChatContext, 'platform'>,
): Promise<readonly PendingQuestion[]> {
  const files = await Promise.all(
    questions.map(async ({ turn, attachments }) => attachments && (await platform.listFiles(turn))),
  );
  const first = files.findIndex((some = []) => some.length > 0);
  return first < 0 ? questions : questions.slice(0, first);
}
