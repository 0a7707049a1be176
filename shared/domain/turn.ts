import type { Attachment } from './message.ts';
import type { Thread } from './thread.ts';
import type { MessageId, UserId, WorkspaceId } from './ids.ts';

/** Identifies a turn: the thread and the message with the question. */
export type TurnRef = {
  readonly thread: Thread;
  readonly message: MessageId;
  readonly asker: UserId;
  readonly askerWorkspace: WorkspaceId;
};

/**
 * Token counts of one answer, as the upstream reports them. Reasoning tokens are part of the completion tokens.
 */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
};

/**
 * The timings of an answer. `receivedAt` is in ms since 1970. The others are ms after it: when the worker
 * started, when the first request was sent, when the first text arrived, and when the turn ended. `requests`
 * counts the requests to the model, retries included.
 */
export type AnswerTimings = readonly [
  receivedAt: number,
  started: number,
  sent: number,
  first: number,
  ended: number,
  requests: number,
];

/** What the upstream says about a failed request. */
export type FailureFacts = {
  /** The HTTP status; absent if there was no response. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  /** The rejected request field. */
  readonly param?: string | undefined;
  readonly requestId?: string | undefined;
};

/** A page that an answer may cite by its number. Title and URL come from strangers, without invisible characters. */
export type Source = { readonly number: number; readonly title: string; readonly url: string };

/** A web search: the query, and the results by the numbers that the model was given. */
export type SearchRecord = { readonly query: string; readonly results: readonly Source[] };

/** A call of a tool that administrators turned on. Holds no arguments and no result, as those may be private, except for a web search. */
export type ToolCallRecord = {
  /** The name of the tool as the model called it, and of its source in the setting `tools`. */
  readonly tool: string;
  readonly source: string;
  /** How long it took (ms). */
  readonly ms: number;
  /** `proposed`: a card asked the person first. */
  readonly outcome: 'done' | 'failed' | 'proposed';
  readonly search?: SearchRecord | undefined;
};

/** How many different values of private data were masked, by kind; `media`: pictures, recordings and films that were left out. */
export type MaskedCounts = {
  readonly [K in 'card' | 'key' | 'email' | 'phone' | 'iban' | 'custom' | 'media']?: number | undefined;
};

/** How a turn ended: with the model's answer, or with a message that says why there is none. */
export type TurnOutcome =
  | {
      readonly kind: 'answered';
      readonly text: string;
      /**
       * The number of characters at the end that the bot added: a note that the answer was cut or stopped, and
       * its separator.
       */
      readonly closing?: number | undefined;
      readonly finish: string;
      /** As the server names it. */
      readonly model: string;
      /** Set if the server named another model than the request did. Prices are often known for this name only. */
      readonly requestedModel?: string | undefined;
      /** Of all requests. */
      readonly usage?: Usage | undefined;
      /** How many requests the usage is of, if there were several. */
      readonly requests?: number | undefined;
      /** The number of pictures in these requests; in each of them those of the question. Absent for none. */
      readonly images?: number | undefined;
      readonly requestId?: string | undefined;
      readonly weightVersion?: string | undefined;
      /** The server did not report all of the usage; what is missing is estimated. */
      readonly isUsageEstimated?: boolean | undefined;
      /** Request fields, as on the wire, that were left out because the model does not support them. */
      readonly omitted?: readonly string[] | undefined;
      /** All versions of the answer, if several were requested. `text` is one of them, unless a notice was added to it. */
      readonly versions?: readonly string[] | undefined;
      /** Which version `text` is, counted from 1. Default 1. */
      readonly version?: number | undefined;
      /** How sure the model was: the geometric mean of the probabilities of its tokens, 0 to 1. Only if they were requested. */
      readonly confidence?: number | undefined;
      readonly toolCalls?: readonly ToolCallRecord[] | undefined;
      /** The private data that was masked before the question left, if any was. */
      readonly masked?: MaskedCounts | undefined;
      /** The ids of the facts that were in the prompt. */
      readonly facts?: readonly string[] | undefined;
      /** Why the answer broke off. */
      readonly failure?: FailureFacts | undefined;
      readonly timings?: AnswerTimings | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly text: string;
      readonly toolCalls?: readonly ToolCallRecord[] | undefined;
      /** The ids of the facts that were in the prompt. */
      readonly facts?: readonly string[] | undefined;
      readonly failure?: FailureFacts | undefined;
      readonly timings?: AnswerTimings | undefined;
    };

/** Reasons of outcomes that have nothing to answer again: the message was a mention without a question (`greeting`), or had only files without words. */
export const NO_QUESTION_REASONS: ReadonlySet<string> = new Set(['greeting', 'no-words']);

/**
 * Whether an outcome of the kind `failed` with this reason is a failure. A budget that is used up is not, and neither is a message without a question:
 * the model was not asked.
 */
export const isFailureReason = (reason: string | undefined): boolean =>
  reason !== 'over-budget' && !(reason !== undefined && NO_QUESTION_REASONS.has(reason));

/** A question that arrived during another answer and is answered together with others. */
export type MergedQuestion = {
  readonly message: MessageId;
  readonly question: string;
  /** The key of the edit that gave the question this text. */
  readonly edit?: string | undefined;
};

/** A message of the thread from before the bot was mentioned. */
export type ContextLine = {
  /** Absent for apps for which the platform sends no id. */
  readonly by?: UserId | undefined;
  /** Display name. */
  readonly author: string;
  readonly text: string;
  /** When it was sent (ms since 1970). */
  readonly at: number;
};

/** One question and its outcome: one item in the table. */
export type Turn = {
  readonly message: MessageId;
  readonly question: string;
  /** The key of the edit that gave the question this text. */
  readonly edit?: string | undefined;
  /** Further questions that this turn answers, in order. */
  readonly mergedQuestions?: readonly MergedQuestion[] | undefined;
  /** Files that are needed to answer the question again: its images and recordings, and files that were not read. */
  readonly pictures?: readonly Attachment[] | undefined;
  /** Messages of the thread from before the bot was mentioned. */
  readonly contextLines?: readonly ContextLine[] | undefined;
  /** Those messages could not be read; a later turn may try again. */
  readonly isBeforeUnread?: boolean | undefined;
  readonly outcome: TurnOutcome;
};

/** Returns the people whose messages or pictures a turn contains, without its asker. */
export const listOtherPeople = ({
  contextLines = [],
  pictures = [],
}: Pick<Turn, 'contextLines' | 'pictures'>): UserId[] => [
  ...contextLines.flatMap(({ by }) => by ?? []),
  ...pictures.flatMap(({ origin }) => origin?.author ?? []),
];

/** Returns a turn without these questions; undefined if none is left. The answer goes with the last question of its turn. */
export function withoutQuestions<
  T extends Pick<Turn, 'message' | 'question' | 'mergedQuestions' | 'pictures'>,
>(turn: T, messages: ReadonlySet<MessageId>): T | undefined {
  const { message, question, mergedQuestions = [] } = turn;
  const others = mergedQuestions.filter((one) => !messages.has(one.message));
  const isWithoutFirst = messages.has(message);
  if (!isWithoutFirst && others.length === mergedQuestions.length) return turn;
  if (others.length === 0 && (isWithoutFirst || question === '')) return undefined;
  return { ...turn, mergedQuestions: others, ...(isWithoutFirst && { question: '', pictures: [] }) };
}

/** Returns all questions of a turn as one text. */
export function questionText({
  question,
  mergedQuestions = [],
}: Pick<Turn, 'question' | 'mergedQuestions'>): string {
  return [question, ...mergedQuestions.map((one) => one.question)].filter((text) => text !== '').join('\n\n');
}

/**
 * The maximum size of a turn as JSON before compression: 360,000 bytes. DynamoDB allows 400 KB (409,600 bytes)
 * per item, so even text that does not compress fits, with the other attributes beside it.
 */
export const MAX_TURN_BYTES = 360_000;
/** Reserved for the outcome: the model, its usage, 32 calls of tools with 60 pages, passages and messages of searches, and the bot's closing sentence. */
const OUTCOME_BYTES = 49_152;
/** The maximum size of a question with its files, so that an answer fits beside it. */
const MAX_QUESTION_BYTES = 200_000;
/** An answer with less space than this is not requested. */
const MIN_ANSWER_BYTES = 8_192;

/**
 * Returns the size of a text as JSON in UTF-8, without quotes. Counts slightly too much for characters beyond
 * U+FFFF.
 */
export function countJsonBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) bytes += codeUnitBytes(text.charCodeAt(i));
  return bytes;
}

/** Returns the start of a text with at most `max` bytes as JSON. Never splits a character. */
export function truncateToJsonBytes(text: string, max: number): string {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    bytes += codeUnitBytes(text.charCodeAt(i));
    if (bytes > max)
      return text
        .slice(0, i)
        .toWellFormed()
        .replace(/\uFFFD$/u, '');
  }
  return text;
}

function codeUnitBytes(unit: number): number {
  // A control character and a lone surrogate may become a six-byte escape; each half of a pair takes two bytes.
  if (unit < 0x20) return 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x80) return 1;
  if (unit < 0x8_00) return 2;
  return unit >= 0xd8_00 && unit <= 0xdf_ff ? 6 : 3;
}

/** A turn without its answer. */
export type UnansweredTurn = Pick<Turn, 'question' | 'mergedQuestions' | 'contextLines' | 'pictures'>;

/** Returns the maximum size of the answer of a turn as JSON; always enough for a short answer. */
export function getMaxAnswerBytes(turn: UnansweredTurn): number {
  const questionBytes = Math.min(countJsonBytes(turn.question), MAX_QUESTION_BYTES);
  const { mergedQuestions, contextLines, pictures } = turn;
  const otherBytes = new TextEncoder().encode(
    JSON.stringify({ mergedQuestions, contextLines, pictures }),
  ).length;
  return Math.max(MIN_ANSWER_BYTES, MAX_TURN_BYTES - OUTCOME_BYTES - questionBytes - otherBytes);
}

/** Whether there is space to continue an answer. */
export const canContinueAnswer = (turn: UnansweredTurn, answer: string): boolean =>
  getMaxAnswerBytes(turn) - countJsonBytes(answer) >= MIN_ANSWER_BYTES;

/** Truncates a question to the size that can be stored. */
export const truncateQuestion = (question: string): string =>
  truncateToJsonBytes(question, MAX_QUESTION_BYTES);
