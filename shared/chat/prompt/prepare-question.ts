import type { ChatContext } from '../context.ts';
import {
  type ToolCallRecord,
  PLATFORM_TRAITS,
  type ContextLine,
  type Thread,
  type Turn,
  type TurnRef,
  questionText,
  type Attachment,
  type MergedQuestion,
  type PromptPart,
} from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { type TextMessage, type Locale, localize } from '../../i18n/index.ts';
import { loadFacts, NO_FACTS, createRememberTools, type UsableFacts } from '../../facts/index.ts';
import { hasMemory, isMemoryAllowed } from '../../settings/rules/index.ts';
import type { ChatTool, ThreadPicture, ToolQuestion } from '../../ports/index.ts';
import { type ReadAttachments, readAttachments, type ReadOptions } from './read-attachments.ts';
import { formatNotice } from '../display/notices.ts';
import { createHistoryTools } from '../tools/history-tools.ts';
import { asksForHelp } from './asks-for-help.ts';

/** The messages of a thread before the first mention of the bot, as far as they could be read. */
export type ContextMessages = Pick<Turn, 'contextLines' | 'isBeforeUnread'> & {
  /** A notice about messages that could not be read. */
  readonly unread?: TextMessage | undefined;
};

type ReadContext = Pick<ChatContext, 'platform' | 'settings' | 'transcription'>;

/**
 * Reads the earlier messages of a thread once: with the first question, or with the next if the platform did not allow it
 * then.
 */
export async function readFirstContext(
  turn: TurnRef,
  past: ThreadHistory,
  context: ReadContext,
): Promise<ContextMessages> {
  const last = past.turns.at(-1);
  return last && !last.isBeforeUnread ? {} : readContextMessages(turn, context);
}

/** Reads the earlier messages for a turn that is regenerated, if it lacks them. Without `ended`, it was edited before its answer. */
export const readMissingContext = async (
  turn: TurnRef,
  ended: Turn | undefined,
  past: ThreadHistory,
  context: ReadContext,
): Promise<ContextMessages> => {
  if (!ended) return readFirstContext(turn, past, context);
  return ended.isBeforeUnread ? readContextMessages(turn, context) : {};
};

/** Reads the earlier messages for a turn without them. */
async function readContextMessages(turn: TurnRef, context: ReadContext): Promise<ContextMessages> {
  const { thread } = turn;
  const [{ messages, retryAfterMs }, transcript] = await Promise.all([
    context.platform.fetchEarlierMessages(turn),
    readRootTranscript(turn, context),
  ]);
  const lines = messages.map(({ by, author, text, at }) => ({ by, author, text, at }));
  // The transcript card may be shortened or missing in the platform's history.
  const contextLines = takeLast([...lines, ...transcript], context.settings.beforeCharacters);
  if (retryAfterMs === undefined) return { contextLines };
  const name = PLATFORM_TRAITS[thread.platform].name;
  const unread: TextMessage =
    messages.length > 0
      ? ['summary.left.slowed', { platform: name, count: messages.length }]
      : ['answers.before.unread', { platform: name, seconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) }];
  return { contextLines, unread, ...(messages.length === 0 && { isBeforeUnread: true }) };
}

/** Returns the transcript of a recording in the root message, unless that is the question itself. */
async function readRootTranscript(
  { thread, message }: TurnRef,
  { transcription: { recordings } }: ReadContext,
): Promise<ContextLine[]> {
  if (message === thread.root) return [];
  const transcript = await recordings.attributedTranscript(thread, thread.root).catch(() => undefined);
  // Without a speaker it could not be erased.
  return transcript ? [{ ...transcript, author: '(The recording that the thread hangs on)' }] : [];
}

/** Returns the last lines within `maxCharacters`. Cuts the very last line if it is longer. */
function takeLast(lines: readonly ContextLine[], maxCharacters: number): readonly ContextLine[] | undefined {
  const remaining: ContextLine[] = [];
  let room = maxCharacters;
  for (const line of lines.toReversed()) {
    room -= line.author.length + line.text.length;
    if (room >= 0) remaining.unshift(line);
    else if (remaining.length === 0) remaining.push({ ...line, text: line.text.slice(-room).toWellFormed() });
    if (room < 0) break;
  }
  return remaining.length > 0 ? remaining : undefined;
}

/**
 * Removes lines of people whose data was erased after they wrote them. Called again before storing, because the erasure may
 * have run during the answer and cannot find a turn that is stored later.
 */
export async function withoutErasedLines(
  lines: readonly ContextLine[] | undefined,
  thread: Thread,
  { erasureMoments }: Pick<ChatContext, 'erasureMoments'>,
): Promise<readonly ContextLine[] | undefined> {
  if (!lines) return undefined;
  const erasedAt = await erasureMoments.findForPeople(
    thread,
    lines.flatMap(({ by }) => by ?? []),
  );
  const remaining = lines.filter(({ by, at }) => by === undefined || at > (erasedAt.get(by) ?? 0));
  return remaining.length > 0 ? remaining : undefined;
}

/** A question to answer. */
export type QuestionInput = {
  readonly question: string;
  readonly mergedQuestions: readonly MergedQuestion[];
  readonly contextLines?: readonly ContextLine[] | undefined;
  /** Earlier messages could not be read. */
  readonly isBeforeUnread?: boolean | undefined;
  /** The notice about that. */
  readonly unread?: TextMessage | undefined;
  /** Files to read. */
  readonly attachments: readonly Attachment[];
  /** Pictures of a question that was answered before; the text of its other files is already in the question. */
  readonly pictures: readonly Attachment[];
  readonly past: ThreadHistory;
  readonly model?: string | undefined;
  /** How many versions of the answer were requested. Absent: as the settings say. */
  readonly versions?: number | undefined;
  /** Why the requested model cannot be used, as text for people. */
  readonly refusal?: string | undefined;
  /** When the question arrived (ms since 1970); absent for a regeneration. */
  readonly receivedAt?: number | undefined;
  /** See `IncomingMessage`. */
  readonly searchToken?: string | undefined;
  /** The answer to continue from. */
  readonly prefix?: string | undefined;
  /** The calls of tools that were made for it. */
  readonly prefixToolCalls?: readonly ToolCallRecord[] | undefined;
};

/** The same questions with the names of people whom they mention by id; undefined if they mention nobody so. */
export function nameMentions<
  Input extends { readonly question: string; readonly mergedQuestions: readonly MergedQuestion[] },
>({ thread }: TurnRef, input: Input, { platform }: ReadContext): Promise<Input> | undefined {
  const { question, mergedQuestions } = input;
  return platform
    .nameMentions(thread, [question, ...mergedQuestions.map((one) => one.question)])
    ?.then(([first = question, ...others]) => ({
      ...input,
      question: first,
      mergedQuestions: mergedQuestions.map((one, n) => ({ ...one, question: others[n] ?? one.question })),
    }));
}

/** A question with the content of its files. */
export type PreparedQuestion = {
  /** The stored text, including the text of the files. */
  readonly question: string;
  readonly images: readonly PromptPart[];
  /** A notice about what was left out. */
  readonly notice: string;
  /** Whether there is nothing to answer, or somebody asks how to use the bot. */
  readonly isEmpty: boolean;
  /** Returns the useful tools if the last `turnsInPrompt` turns of the thread are in the prompt. */
  readonly tools: (turnsInPrompt: number) => readonly ChatTool[];
  /** What is remembered about the asker and the channel. For this prompt only: it is not stored with the question. */
  readonly facts: UsableFacts;
};

/** Most results of a history search. */
const MAX_RECALLED = 5;

/** Reads the files of a question and selects its tools. Rejects only with the errors of the memory permit. */
export async function prepareQuestion(
  turn: TurnRef,
  input: QuestionInput,
  context: ChatContext,
  { locale, memoryPermit }: Pick<ReadOptions, 'locale' | 'memoryPermit'>,
): Promise<PreparedQuestion> {
  const { question, attachments, pictures, mergedQuestions, past, model, refusal } = input;
  if (refusal !== undefined || asksForHelp(turn, input, context.time.now()))
    return {
      question,
      images: [],
      notice: refusal ?? '',
      isEmpty: true,
      tools: () => [],
      facts: NO_FACTS,
    };
  const options = { model, locale, memoryPermit };
  const current =
    attachments.length > 0
      ? await readAttachments(turn, question, attachments, context, options)
      : withoutFiles(question);
  const earlier =
    pictures.length > 0 ? await readAttachments(turn, question, pictures, context, options) : undefined;
  // Loaded once: what was offered to the model does not change during an answer.
  const { layers } = context.settings;
  const [facts, featureTools] = await Promise.all([
    isMemoryAllowed(layers) ? loadFacts(turn, context) : NO_FACTS,
    context.featureTools(toolQuestionOf(turn, input), context.settings),
  ]);
  const recall = async (query: string) => {
    const turns = await context.turns.search(turn, query, MAX_RECALLED);
    return turns.map((one) => ({ question: questionText(one), answer: one.outcome.text }));
  };
  const historyTools = (hasOlderTurns: boolean): readonly ChatTool[] => {
    if (!hasOlderTurns && current.files.length === 0) return [];
    return createHistoryTools({ recall: hasOlderTurns ? recall : undefined, files: current.files, layers });
  };
  return {
    question: current.question,
    images: [...current.images, ...(earlier?.images ?? [])],
    notice: [
      await describeUnreadContext(input, locale),
      await describeUnreadableTurns(past, locale, context),
      current.notice,
      earlier?.notice ?? '',
    ]
      .filter((words) => words !== '')
      .join('\n\n'),
    isEmpty: current.isEmpty && mergedQuestions.length === 0 && !input.contextLines?.length,
    tools: (turnsInPrompt) => [
      ...historyTools(past.number - 1 > turnsInPrompt),
      ...(hasMemory(layers) && hasOnlyOwnWords(input) ? createRememberTools(turn, context) : []),
      ...featureTools.filter(({ hasNumberedSources }) => !hasNumberedSources || input.prefix === undefined),
    ],
    facts,
  };
}

const toolQuestionOf = (turn: TurnRef, input: QuestionInput): ToolQuestion => ({
  turn,
  pictures: imagesIn(turn, input),
  rootIsOurs: input.past.turns.some((one) => one.message === turn.thread.root),
  numbering: { last: 0 },
  searchToken: input.searchToken,
});

/**
 * Whether a question is new, and contains nothing that others may have written: no files, quotations, earlier messages or merged questions.
 * Elsewhere other people could dictate what is remembered. Both platforms quote forwarded messages line by line.
 */
const hasOnlyOwnWords = ({
  receivedAt,
  question,
  attachments,
  pictures,
  contextLines = [],
  mergedQuestions,
}: QuestionInput): boolean =>
  // A question that is answered again contains the text of its files.
  receivedAt !== undefined &&
  !/^>/mu.test(question) &&
  [attachments, pictures, contextLines, mergedQuestions].every((some) => some.length === 0);

const withoutFiles = (question: string): ReadAttachments => ({
  question,
  images: [],
  files: [],
  notice: '',
  isEmpty: question.trim() === '',
});

/** Returns the notice about unreadable turns of the thread. */
async function describeUnreadableTurns(
  { unreadable: count }: ThreadHistory,
  locale: Promise<Locale>,
  { log }: Pick<ChatContext, 'log'>,
): Promise<string> {
  if (count === 0) return '';
  log('turn.unreadable', { count });
  return formatNotice(localize(await locale, 'answers.unreadable', { count }));
}

const describeUnreadContext = async ({ unread }: QuestionInput, locale: Promise<Locale>): Promise<string> =>
  unread ? formatNotice(localize(await locale, ...unread)) : '';

/** Returns the pictures in the prompt, the newest last. */
function imagesIn(
  { message, asker }: TurnRef,
  { past, attachments, pictures }: QuestionInput,
): ThreadPicture[] {
  const before = past.turns.flatMap((turn) =>
    (turn.pictures ?? []).map((picture) => {
      const origin = turn.asker === asker ? undefined : { author: turn.asker, message: turn.message };
      return { picture: { origin, ...picture }, message: turn.message };
    }),
  );
  return [...before, ...[...pictures, ...attachments].map((picture) => ({ picture, message }))];
}
