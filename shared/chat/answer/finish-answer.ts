import {
  type MessageId,
  truncateQuestion,
  type TurnOutcome,
  type Turn,
  type TurnRef,
} from '../../domain/index.ts';
import {
  type Reply,
  ThreadDeletedError,
  type Button,
  type Step,
  type AnswerActions,
} from '../../platforms/ports/index.ts';
import { type TurnPosition, TurnTooLargeError } from '../../storage/index.ts';
import type { FittingPrompt } from '../prompt/fit-prompt.ts';
import type { PreparedQuestion, QuestionInput } from '../prompt/prepare-question.ts';
import { isFirst, RECONCILE_AFTER_MS, type AnswerWork } from '../access/with-claim.ts';
import {
  type AnswerTimeline,
  recordAnswerMetrics,
  recordFailedQuestion,
  answerFooter,
  modelNames,
} from '../display/answer-metrics.ts';
import { offerFollowUps } from '../model/follow-ups.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { italicNotice, withoutNotice } from '../display/notices.ts';
import type { CompletionOutcome } from '../model/completion-outcome.ts';
import type { ChatContext } from '../context.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import { findCodeBlocks } from '../files/code-blocks.ts';
import { listCitedSources } from '../display/cited-sources.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { DEFAULT_VALUES, isSettingLocked, resolve, type SettingsLayers } from '../../settings/rules/index.ts';
import type { Settings } from '../../ports/index.ts';

/**
 * The stored parts of a turn besides its outcome. `reconcileAt` is in ms since 1970. With `isQuestionOnly`,
 * files, context and merged questions are not stored.
 */
export type StoredAnswer = {
  readonly question: string;
  readonly position: TurnPosition;
  readonly reconcileAt: number | undefined;
  readonly isQuestionOnly: boolean;
};

/** Stores the outcome of the turn. Resolves with what is stored. */
export type CommitOutcome = (outcome: TurnOutcome, stored: StoredAnswer) => Promise<TurnOutcome>;

/** An answer whose completion has ended. */
type EndedAnswer = {
  readonly work: AnswerWork;
  readonly input: QuestionInput;
  readonly prepared: PreparedQuestion;
  readonly prompt: FittingPrompt;
  readonly reply: Reply;
  readonly memory: PostedMemory;
  readonly timeline: AnswerTimeline;
  readonly pendingLocale: Promise<Locale>;
  readonly end: CommitOutcome;
};

/** Commits the outcome, publishes the final answer, and offers follow-up questions. */
export async function finishAnswer(
  { work, input, prepared, prompt, reply, memory, timeline, pendingLocale, end }: EndedAnswer,
  completion: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const { turn, claim, context, delivery } = work;
  const position = toTurnPosition(input, prompt.history[0]?.sk);
  const reconcileAt =
    !isFirst(work) || reply.hasUnconfirmedPosts ? context.time.now() + RECONCILE_AFTER_MS : undefined;
  const outcomeToStore = withPrefix(completion.outcome, input, timeline.ended(context.time.now()));
  const stored = { question: prepared.question, position, reconcileAt };
  const outcome = await commitWithinLimit(end, outcomeToStore, stored, work, pendingLocale);
  const locale = await pendingLocale;
  await publishAnswer({ work, reply, memory, reconcileAt, locale }, outcome, completion);
  const answered = { turn, question: prepared.question, outcome, fence: claim.fence };
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
    lease.failed(error);
    if (!(error instanceof TurnTooLargeError)) throw error;
    context.log('answer.failed', { reason: 'too-large-to-keep' });
    const text = italicNotice(localize(await pendingLocale, 'answers.too-large'));
    const question = stored.question.slice(0, MAX_QUESTION_ONLY_CHARS).toWellFormed();
    const failed = { kind: 'failed', reason: 'too-large-to-keep', text, timings: outcome.timings } as const;
    return end(failed, { ...stored, question, isQuestionOnly: true });
  }
}

type ShownAnswer = {
  readonly work: AnswerWork;
  readonly reply: Reply;
  readonly memory: PostedMemory;
  readonly reconcileAt: number | undefined;
  readonly locale: Locale;
};

async function publishAnswer(
  { work: { turn, context }, reply, memory, reconcileAt, locale }: ShownAnswer,
  outcome: TurnOutcome,
  { steps }: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const footer = await answerFooter(outcome, locale, context);
  try {
    const hasCanvases = context.messenger.hasCanvases(turn.thread);
    const actions = answerActions(outcome, steps, context.settings, locale, footer, hasCanvases);
    await memory.settle(await reply.publish(outcome.text, actions));
  } catch (error) {
    if (error instanceof ThreadDeletedError) return;
    throw error;
  }
  if (reply.hasUnconfirmedPosts && reconcileAt === undefined) {
    await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  }
}

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

type PostedMemory = { readonly settle: (posted: readonly MessageId[]) => Promise<void> };

/** Stores the messages of the answer as soon as the first exists, so that the next worker continues with them. */
export function rememberPosted(
  { turn, claim, lease, context }: AnswerWork,
  reply: Reply,
  existing: readonly MessageId[],
): PostedMemory {
  let saved = existing.join();
  const save = async (posted: readonly MessageId[]): Promise<void> => {
    if (posted.length === 0 || posted.join() === saved) return;
    await context.turns.savePosted(turn, claim.fence, posted);
    saved = posted.join();
  };
  const first = reply.posted().then(save).catch(lease.failed);
  return {
    settle: async (posted: readonly MessageId[]): Promise<void> => {
      if (posted.length > 0) await first;
      await save(posted).catch(lease.failed);
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
  const { platform, messenger, settings } = context;
  const pendingLocale = resolveTurnLocale(turn, context);
  const { messages, unsearched } = await findOrphanedMessages(turn, context);
  const existing = [...new Set([...posted, ...messages])].toSorted();
  const locale = await pendingLocale;
  const footer = await answerFooter(outcome, locale, context);
  try {
    const reply = platform.reply(turn, existing, { question, locale: pendingLocale });
    // An earlier worker may have left a status.
    await reply.stopStreaming();
    const hasCanvases = messenger.hasCanvases(turn.thread);
    await reply.publish(outcome.text, answerActions(outcome, [], settings, locale, footer, hasCanvases));
  } catch (error) {
    if (!(error instanceof ThreadDeletedError)) throw error;
  }
  return !unsearched;
}

/** The model has more to write: it reached a limit, a person pressed Stop, or its stream was interrupted. */
const ENDED_EARLY: ReadonlySet<string> = new Set(['length', 'context', 'stopped', 'interrupted']);
/** More buttons in a row are hard to read. */
const MAX_MODELS = 2;

/** Whether there are words of the model to continue from, and it ended early. */
const canContinue = (outcome: Extract<TurnOutcome, { kind: 'answered' }>): boolean =>
  ENDED_EARLY.has(outcome.finish) && withoutNotice(outcome).trim() !== '';

/** The numbers of the versions that are not shown, counted from 1. */
const otherVersions = ({
  versions = [],
  version = 1,
}: Extract<TurnOutcome, { kind: 'answered' }>): readonly number[] =>
  versions.map((_, at) => at + 1).filter((number) => number !== version);

/** From this length on, an answer (in characters) and its code (in lines) are offered as files: about two screens. */
const [LONG_ANSWER, LONG_CODE] = [4_000, 15] as const;

/** Returns what of an answer is offered as files or a canvas, as the setting `answerFiles` says: long answers and long code, all, or nothing. */
export function offeredFiles(
  { text }: { readonly text: string },
  layers: SettingsLayers,
  hasCanvases: boolean,
): readonly ('text' | 'canvas' | 'code')[] {
  const setting = resolve('answerFiles', layers).value ?? DEFAULT_VALUES.answerFiles;
  if (setting === 'off') return [];
  const isAll = setting === 'all';
  const isLong = isAll || text.length >= LONG_ANSWER;
  const hasCode =
    /```|~~~/u.test(text) &&
    findCodeBlocks(text).some(({ code }) => isAll || code.split('\n').length > LONG_CODE);
  return [
    ...(isLong ? ['text' as const] : []),
    ...(isLong && hasCanvases ? ['canvas' as const] : []),
    ...(hasCode ? ['code' as const] : []),
  ];
}

/** The buttons and the footer of an answer. A failure has only the button to regenerate. */
export function answerActions(
  outcome: TurnOutcome,
  steps: readonly Step[],
  { otherModels, layers }: Pick<Settings, 'otherModels' | 'layers'>,
  locale: Locale,
  footer?: string,
  hasCanvases = false,
): AnswerActions {
  const label = (name: 'good' | 'bad' | 'regenerate' | 'continue' | 'versions') =>
    localize(locale, `answers.button.${name}`);
  const regenerate: Button = { label: label('regenerate'), action: { kind: 'regenerate' } };
  if (outcome.kind === 'failed') return { buttons: outcome.reason === 'no-words' ? [] : [regenerate], steps };
  // Where the model is locked, a request for another model would use the locked one.
  const offered = isSettingLocked('model', layers) ? [] : otherModels;
  const others = offered
    .filter((model) => !modelNames(outcome).includes(model))
    .slice(0, MAX_MODELS)
    .map((model): Button => ({
      label: localize(locale, 'answers.button.ask-model', { model }),
      action: { kind: 'regenerate', model },
    }));
  const continueButton: Button = { label: label('continue'), action: { kind: 'continue' } };
  const versionButtons: Button[] = outcome.versions
    ? otherVersions(outcome).map((number) => ({
        label: localize(locale, 'answers.button.version', { number }),
        action: { kind: 'version', choice: String(number) },
      }))
    : isSettingLocked('versions', layers)
      ? []
      : [{ label: label('versions'), action: { kind: 'version' } }];
  const fileButtons = offeredFiles(outcome, layers, hasCanvases).map((kind): Button => ({
    label: localize(locale, `answers.button.file-${kind}`),
    action: { kind: 'command', name: `file.${kind}` },
  }));
  const buttons: Button[] = [
    { label: label('good'), action: { kind: 'feedback', good: true } },
    { label: label('bad'), action: { kind: 'feedback', good: false } },
    regenerate,
    ...(canContinue(outcome) ? [continueButton] : []),
    ...versionButtons,
    ...others,
  ];
  return { buttons: [...buttons, ...fileButtons], steps, footer, sources: listCitedSources(outcome) };
}
