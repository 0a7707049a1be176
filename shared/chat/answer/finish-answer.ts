import {
  type AskTask,
  type Attachment,
  isMedia,
  type MessageId,
  truncateQuestion,
  type TurnOutcome,
  type Turn,
  type TurnRef,
} from '../../domain/index.ts';
import { type Reply, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { type PendingQuestion, type TurnPosition, TurnTooLargeError } from '../../storage/index.ts';
import { type FittingPrompt, withoutErasedLines } from '../prompt/prompt-history.ts';
import type { PreparedQuestion, QuestionInput } from '../prompt/prepare-question.ts';
import { isFirstAttempt, RECONCILE_AFTER_MS, type AnswerWork } from '../access/with-claim.ts';
import { type AnswerTimeline, recordAnswerMetrics, recordFailedQuestion } from '../display/answer-metrics.ts';
import { offerFollowUps } from '../model/follow-ups.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { formatNotice } from '../display/notices.ts';
import type { CompletionOutcome } from '../model/completion-outcome.ts';
import type { ChatContext } from '../context.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { buildAnswerActions } from '../display/answer-actions.ts';
import { resolveTurnLocale } from '../../settings/index.ts';

/**
 * The stored parts of a turn besides its outcome. `content` has the names of people in merged questions, and the earlier messages that were read.
 * `reconcileAt` is in ms since 1970. `hasReadFiles` is that of the prepared question. With `isQuestionOnly`, files, context and merged questions are
 * not stored.
 */
export type StoredAnswer = {
  readonly question: string;
  readonly content: Pick<QuestionInput, 'mergedQuestions' | 'contextLines' | 'isBeforeUnread'>;
  readonly position: TurnPosition;
  readonly reconcileAt: number | undefined;
  readonly hasReadFiles: boolean;
  readonly isQuestionOnly: boolean;
};

/** Returns the files of a question before anybody has read them. */
export const toUnreadFiles = (files: readonly Attachment[]): readonly Attachment[] =>
  files.map((file) => ({ ...file, isUnread: true }));

/** Returns which files are stored with a question. One that was read is part of it as text, except for images and recordings. */
export const toStoredFiles = (
  files: readonly Attachment[],
  { hasReadFiles }: Pick<StoredAnswer, 'hasReadFiles'>,
): readonly Attachment[] =>
  hasReadFiles
    ? files
        .filter((file) => file.isUnread !== true || isMedia(file))
        .map((file) => ({ ...file, isUnread: undefined }))
    : files;

/** Stores the outcome of the turn. Resolves with what is stored. */
export type CommitOutcome = (outcome: TurnOutcome, stored: StoredAnswer) => Promise<TurnOutcome>;

/** An answer whose completion has ended. */
type EndedAnswer = {
  readonly work: AnswerWork;
  readonly input: QuestionInput;
  readonly prepared: PreparedQuestion;
  readonly prompt: FittingPrompt;
  readonly reply: Reply;
  readonly postedRecord: PostedRecord;
  readonly timeline: AnswerTimeline;
  readonly pendingLocale: Promise<Locale>;
  readonly end: CommitOutcome;
};

/** Commits the outcome, publishes the final answer, and offers follow-up questions. */
export async function finishAnswer(
  { work, input, prepared, prompt, reply, postedRecord, timeline, pendingLocale, end }: EndedAnswer,
  completion: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const { turn, claim, lease, context, delivery } = work;
  const position = toTurnPosition(input, prompt.history[0]?.sk);
  const reconcileAt =
    !isFirstAttempt(work) || reply.hasUnconfirmedPosts ? context.time.now() + RECONCILE_AFTER_MS : undefined;
  const outcomeToStore = withPrefix(completion.outcome, input, timeline.toTimings(context.time.now()));
  const { mergedQuestions, contextLines, isBeforeUnread } = input;
  const content = { mergedQuestions, contextLines, isBeforeUnread };
  const { question, hasReadFiles } = prepared;
  const stored = { question, content, position, reconcileAt, hasReadFiles };
  const outcome = await commitWithinLimit(end, outcomeToStore, stored, work, pendingLocale);
  // The write has released the claim. If it were renewed while the answer is published, a Regenerate would have to wait.
  lease.end();
  const locale = await pendingLocale;
  await publishAnswer({ work, reply, postedRecord, reconcileAt, locale }, outcome, completion);
  const answered = { turn, question, outcome, fence: claim.fence };
  await Promise.all([
    offerFollowUps(answered, context, delivery, locale),
    recordAnswerMetrics(turn, outcome, context),
    ...(claim.ended ? [] : [recordFailedQuestion(turn, outcome, context)]),
  ]);
}

/** Longest question that is stored if the turn is too large, in characters. */
const MAX_QUESTION_ONLY_CHARS = 1_000;

/**
 * Commits the outcome. If it is too large to store, commits a failure notice instead: a retry would repeat the request with
 * the same result.
 */
async function commitWithinLimit(
  end: CommitOutcome,
  outcome: TurnOutcome,
  parts: Omit<StoredAnswer, 'isQuestionOnly'>,
  { lease, context }: AnswerWork,
  pendingLocale: Promise<Locale>,
): Promise<TurnOutcome> {
  const stored = { ...parts, question: truncateQuestion(parts.question), isQuestionOnly: false };
  try {
    return await end(outcome, stored);
  } catch (error) {
    lease.endIfLost(error);
    if (!(error instanceof TurnTooLargeError)) throw error;
    context.log('answer.failed', { reason: 'too-large-to-keep' });
    const text = formatNotice(localize(await pendingLocale, 'answers.too-large'));
    const question = stored.question.slice(0, MAX_QUESTION_ONLY_CHARS).toWellFormed();
    const failed = { kind: 'failed', reason: 'too-large-to-keep', text, timings: outcome.timings } as const;
    return end(failed, { ...stored, question, isQuestionOnly: true });
  }
}

type ShownAnswer = {
  readonly work: AnswerWork;
  readonly reply: Reply;
  readonly postedRecord: PostedRecord;
  readonly reconcileAt: number | undefined;
  readonly locale: Locale;
};

/** Publishes the stored outcome. A thread that was deleted meanwhile shows nothing. */
async function publishAnswer(
  { work: { turn, context }, reply, postedRecord, reconcileAt, locale }: ShownAnswer,
  outcome: TurnOutcome,
  { steps }: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const actions = await buildAnswerActions(turn, outcome, steps, locale, context);
  try {
    await postedRecord.settle(await reply.publish(outcome.text, actions));
  } catch (error) {
    if (error instanceof ThreadDeletedError) return;
    throw error;
  }
  if (reply.hasUnconfirmedPosts && reconcileAt === undefined) {
    await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  }
}

/** Returns the outcome with its times, and with the text and the calls of tools that it continues before its own. */
function withPrefix(
  outcome: TurnOutcome,
  { prefix, prefixToolCalls = [] }: Pick<QuestionInput, 'prefix' | 'prefixToolCalls'>,
  timings: TurnOutcome['timings'],
): TurnOutcome {
  if (!prefix || outcome.kind !== 'answered') return { ...outcome, timings };
  const toolCalls = [...prefixToolCalls, ...(outcome.toolCalls ?? [])];
  return { ...outcome, timings, text: prefix + outcome.text, ...(toolCalls.length > 0 && { toolCalls }) };
}

function toTurnPosition({ past }: QuestionInput, from: string | undefined): TurnPosition {
  return { from: from ?? past.from, number: past.number };
}

/** What is stored of the messages of an answer. `settle` stores the final ones, and never rejects. */
type PostedRecord = { readonly settle: (posted: readonly MessageId[]) => Promise<void> };

/** Stores the messages of the answer as soon as the first exists, so that the next worker continues with them. */
export function recordPosted(
  { turn, claim, lease, context }: AnswerWork,
  reply: Reply,
  existing: readonly MessageId[],
): PostedRecord {
  let saved = existing.join();
  const save = async (posted: readonly MessageId[]): Promise<void> => {
    if (posted.length === 0 || posted.join() === saved) return;
    await context.turns.savePosted(turn, claim.fence, posted);
    saved = posted.join();
  };
  const first = reply.posted().then(save).catch(lease.endIfLost);
  return {
    settle: async (posted: readonly MessageId[]): Promise<void> => {
      if (posted.length > 0) await first;
      await save(posted).catch(lease.endIfLost);
    },
  };
}

/** Makes the posted answer equal the stored one and removes duplicates. Returns whether all messages could be searched. */
export async function publishStoredAnswer(
  turn: TurnRef,
  { question, outcome }: Pick<Turn, 'question' | 'outcome'>,
  posted: readonly MessageId[],
  context: Pick<ChatContext, 'platform' | 'messenger' | 'signals' | 'settings' | 'price'>,
): Promise<boolean> {
  const pendingLocale = resolveTurnLocale(turn, context);
  const { messages, isIncomplete } = await findOrphanedMessages(turn, context);
  const existing = [...new Set([...posted, ...messages])].toSorted();
  const locale = await pendingLocale;
  const actions = await buildAnswerActions(turn, outcome, [], locale, context);
  try {
    const reply = context.platform.reply(turn, existing, { question, locale: pendingLocale });
    // An earlier worker may have left a status.
    await reply.stopStreaming();
    await reply.publish(outcome.text, actions);
  } catch (error) {
    if (!(error instanceof ThreadDeletedError)) throw error;
  }
  return !isIncomplete;
}

/** Returns what is stored beside question and outcome: the merged questions that were answered, files, and the messages before. */
export async function contentToStore(
  answered: readonly PendingQuestion[],
  { attachments }: AskTask,
  { content, hasReadFiles }: StoredAnswer,
  { turn, context }: AnswerWork,
) {
  const messages = new Set(answered.map((one) => one.turn.message));
  return {
    ...content,
    mergedQuestions: content.mergedQuestions.filter(({ message }) => messages.has(message)),
    pictures: toStoredFiles(toUnreadFiles(attachments), { hasReadFiles }),
    contextLines: await withoutErasedLines(content.contextLines, turn.thread, context),
  };
}
