import type { ChatContext } from '../context.ts';
import {
  isDirectMessage,
  isIntegration,
  type ToolCallRecord,
  type ContextLine,
  type Turn,
  type TurnRef,
  questionText,
  type Attachment,
  type MergedQuestion,
  type PromptPart,
} from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { helpLabel, type TextMessage, type Locale, localize } from '../../i18n/index.ts';
import { loadFacts, NO_FACTS, createRememberTools, type UsableFacts } from '../../facts/index.ts';
import { hasMemory, isMemoryAllowed } from '../../settings/rules/index.ts';
import { getMessageTimeMs } from '../../utils/index.ts';
import type { ChatTool, ThreadPicture, ToolQuestion } from '../../ports/index.ts';
import { type ReadAttachments, readAttachments, type ReadOptions } from './read-attachments.ts';
import { formatNotice } from '../display/notices.ts';
import { createHistoryTools } from '../tools/history-tools.ts';

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
  /** Pictures of a question whose files were read before: the text of its other files is already in the question. */
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

/** The messages of a thread before the first mention of the bot, as far as they could be read. */
export type ContextMessages = Pick<Turn, 'contextLines' | 'isBeforeUnread'> & {
  /** A notice about messages that could not be read. */
  readonly unread?: TextMessage | undefined;
};

/** Completes a question with the names of people whom it mentions by id, and with the earlier messages. Both are read at the same time. */
export async function completeInput(
  { thread }: TurnRef,
  input: QuestionInput,
  readMessages: () => Promise<ContextMessages>,
  { platform }: Pick<ChatContext, 'platform'>,
): Promise<QuestionInput> {
  const { question, mergedQuestions } = input;
  const texts = [question, ...mergedQuestions.map((one) => one.question)];
  const [names = texts, messages] = await Promise.all([platform.nameMentions(thread, texts), readMessages()]);
  const [named = question, ...others] = names;
  return {
    ...input,
    ...messages,
    question: named,
    mergedQuestions: mergedQuestions.map((one, n) => ({ ...one, question: others[n] ?? one.question })),
  };
}

/** A question with the content of its files. */
export type PreparedQuestion = {
  /** The stored text, including the text of the files. */
  readonly question: string;
  readonly images: readonly PromptPart[];
  /** Whether its files were read, as far as they can be. */
  readonly hasReadFiles: boolean;
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
      hasReadFiles: false,
      notice: refusal ?? '',
      isEmpty: true,
      tools: () => [],
      facts: NO_FACTS,
    };
  const options = { model, locale, memoryPermit };
  const current =
    attachments.length + pictures.length > 0
      ? await readAttachments(turn, question, attachments, context, { ...options, earlier: pictures })
      : withoutFiles(question);
  // Loaded once: what was offered to the model does not change during an answer.
  const { layers } = context.settings;
  const [facts, featureTools] = await Promise.all([
    isMemoryAllowed(layers) ? loadFacts(turn, context) : NO_FACTS,
    context.featureTools(toToolQuestion(turn, input), context.settings),
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
    images: current.images,
    hasReadFiles: true,
    notice: [
      await describeUnreadContext(input, locale),
      await describeUnreadableTurns(past, locale, context),
      current.notice,
    ]
      .filter((words) => words !== '')
      .join('\n\n'),
    isEmpty: current.isEmpty && mergedQuestions.length === 0 && !input.contextLines?.length,
    tools: (turnsInPrompt) => [
      ...historyTools(past.number - 1 > turnsInPrompt),
      ...memoryTools(turn, input, turnsInPrompt, context),
      ...featureTools.filter(({ hasNumberedSources }) => !hasNumberedSources || input.prefix === undefined),
    ],
    facts,
  };
}

const toToolQuestion = (turn: TurnRef, input: QuestionInput): ToolQuestion => ({
  turn,
  pictures: listPictures(turn, input),
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

/** The tool that stores a fact, for people with memory and questions of their own words. */
function memoryTools(
  turn: TurnRef,
  input: QuestionInput,
  turnsInPrompt: number,
  context: ChatContext,
): readonly ChatTool[] {
  if (!hasMemory(context.settings.layers) || !hasOnlyOwnWords(input)) return [];
  const { turns } = input.past;
  return createRememberTools(turn, context, turns.slice(turns.length - turnsInPrompt).some(hasWordsOfOthers));
}

/** Files are in a stored question as text: see `readAttachments`. What another person asked of the bot itself does not count. */
const WORDS_OF_OTHERS = /^(?:\(another person, \S+ )?(?:>|Attached \w+ “)/mu;

/** Whether an earlier turn contains files, quotations or messages that were not for the bot. Its answer does not count. */
const hasWordsOfOthers = ({ pictures = [], contextLines = [], ...asked }: Turn): boolean =>
  pictures.length + contextLines.length > 0 || WORDS_OF_OTHERS.test(questionText(asked));

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
function listPictures(
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

/** The names of the command `help` in all languages. */
const HELP_WORDS: ReadonlySet<string> = new Set(Object.values<string>(helpLabel));

/** A direct chat can be one conversation without an end: there, an answer that is older than this (ms) gives a word no other meaning. */
const CONVERSATION_MS = 3_600_000;

/** What stands around a word: `/help`, `!help`, `Help?`. */
const MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** What decides whether a word has another meaning. */
export type PossibleHelpRequest = {
  readonly question: string;
  /** Absent for a question that is answered again. */
  readonly receivedAt?: number | undefined;
  readonly attachments: readonly unknown[];
  readonly mergedQuestions: readonly unknown[];
  readonly contextLines?: readonly unknown[] | undefined;
  /** Set if there are earlier messages that could not be read. */
  readonly unread?: unknown;
  readonly past: { readonly turns: readonly Pick<Turn, 'message' | 'outcome'>[] };
};

/**
 * Whether a question is nothing but the name of the command `help` in any language: the asker wants to know how to use the bot. False for
 * a program, for a question that is answered again, and where something else gives the word a meaning: earlier messages, files, an answer
 * before it.
 */
export function asksForHelp(
  { thread, asker }: TurnRef,
  {
    question,
    receivedAt,
    attachments,
    mergedQuestions,
    contextLines = [],
    unread,
    past,
  }: PossibleHelpRequest,
  nowMs: number,
): boolean {
  if (!HELP_WORDS.has(question.normalize('NFKC').toLowerCase().replaceAll(MARKS, ''))) return false;
  if (receivedAt === undefined || unread !== undefined || isIntegration(asker)) return false;
  if ([attachments, mergedQuestions, contextLines].some((some) => some.length > 0)) return false;
  const last = past.turns.findLast(({ outcome }) => outcome.kind === 'answered');
  return (
    last === undefined ||
    (isDirectMessage(thread) && nowMs - getMessageTimeMs(last.message) > CONVERSATION_MS)
  );
}
