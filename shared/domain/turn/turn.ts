import type { Attachment } from '../message.ts';
import type { MessageId, UserId, WorkspaceId } from '../ids.ts';
import type { Thread } from '../thread.ts';

/** Which turn: the thread and the message that asked. */
export type TurnRef = {
  readonly thread: Thread;
  readonly message: MessageId;
  readonly asker: UserId;
  readonly askerWorkspace: WorkspaceId;
};

/** What the upstream counted for one answer. Reasoning tokens lie within the completion tokens. */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
};

/**
 * How an answer came about. `receivedAt` is in ms since 1970; from there, in ms, until work on it began, the model was
 * asked, its first words came, and all was over; `requests` were sent to the model, retries included.
 */
export type AnswerTimings = readonly [
  receivedAt: number,
  begun: number,
  sent: number,
  first: number,
  ended: number,
  requests: number,
];

/** How a turn ended: with the model's answer, or with a sentence that says why there is none. */
export type TurnOutcome =
  | {
      readonly kind: 'answered';
      readonly text: string;
      /** How many characters at its end are the bot's own: that it was cut, or stopped, and what sets that apart. */
      readonly closing?: number | undefined;
      readonly finish: string;
      readonly model: string;
      readonly usage?: Usage | undefined;
      readonly requestId?: string | undefined;
      readonly weightVersion?: string | undefined;
      readonly course?: AnswerTimings | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly text: string;
      readonly course?: AnswerTimings | undefined;
    };

/** A message that was asked while another was being answered, and is answered together with others. */
export type MergedQuestion = { readonly message: MessageId; readonly question: string };

/** What somebody said in a thread before the bot was called into it. */
export type ContextLine = {
  /** Absent for apps that the platform does not tell by an id. */
  readonly by?: UserId | undefined;
  /** A name for people. */
  readonly author: string;
  readonly text: string;
  /** When it was said (ms since 1970). */
  readonly at: number;
};

/** One question and its end: one item in the table. */
export type Turn = {
  readonly message: MessageId;
  readonly question: string;
  /** Further questions that this turn answers, in the order in which they were asked. */
  readonly folded?: readonly MergedQuestion[] | undefined;
  /** Pictures that came with the question, by which it can be answered again. */
  readonly pictures?: readonly Attachment[] | undefined;
  /** What was said in the thread before the bot was called into it. */
  readonly contextLines?: readonly ContextLine[] | undefined;
  /** That could not be read, and may be later. */
  readonly isBeforeUnread?: boolean | undefined;
  readonly ending: TurnOutcome;
};

/** All that a turn asks, in one text. */
export function askedIn({ question, folded = [] }: Pick<Turn, 'question' | 'folded'>): string {
  return [question, ...folded.map((one) => one.question)].filter((text) => text !== '').join('\n\n');
}
