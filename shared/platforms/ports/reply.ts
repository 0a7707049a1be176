import type { ButtonAction, MessageId, Source } from '../../domain/index.ts';
import type { Locale } from '../../i18n/index.ts';

/** A visible answer: streamed while the model writes, then published. */
export interface Reply {
  /** Adds words to the visible answer, as often as the platform allows. Never throws: `publish` repairs what fails. */
  write(words: string): void;
  /** Shows a step of the work (reasoning, a tool call) beside the words, or its new state. Never throws. */
  step(step: Step): void;
  /** Shows the platform's Stop button, if it has one, before any of a slow answer is visible. Never throws. */
  enableStopButton(): void;
  /**
   * Ends the streaming. Resolves with the existing messages (none, one or more) when no request of this
   * answer is in flight. Keeps the status. Also removes the platform's own Stop button, unless it is to stay
   * (`keepsStop`) for the process that continues.
   */
  stopStreaming(keepsStop?: boolean): Promise<readonly MessageId[]>;
  /** Resolves once the first message exists, with all messages posted so far. Rejects if nothing can be posted. */
  posted(): Promise<MessageId[]>;
  /**
   * Aborted when a person uses the platform's own Stop button, or when nothing can be posted in the thread
   * any more.
   */
  readonly stopped: AbortSignal;
  /** The outcome of a request is unknown: an unrecorded message of this answer may exist. */
  readonly hasUnconfirmedPosts: boolean;
  /**
   * Makes the visible answer exactly `text`, and deletes superfluous messages. Idempotent, also for a later worker. Rejects with
   * ThreadDeletedError, or with RetryTimeoutError.
   */
  publish(text: string, actions?: AnswerActions): Promise<MessageId[]>;
}

/** The facts about a question that a platform needs to show its answer. */
export type ReplyContext = {
  /** The question, shown above the answer where people would not see it otherwise. */
  readonly question?: string | undefined;
  /** Locale of the bot's own words; English if undefined. Never rejects. */
  readonly locale?: Promise<Locale> | undefined;
  /** The stored messages of other answers in the thread: none of them is taken for a message of this answer. */
  readonly others?: (() => Promise<{ readonly posted: readonly MessageId[] }>) | undefined;
};

/** A step of the work on an answer. */
export type Step = {
  readonly id: string;
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly details?: string | undefined;
  /** The whole text; `details` is a part of it. Shown as a file if the answer can have files. */
  readonly file?: string | undefined;
};

/** The parts of a complete answer besides its words. */
export type AnswerActions = {
  readonly buttons: readonly Button[];
  readonly steps: readonly Step[];
  /** A line of small print between the words and the buttons. */
  readonly footer?: string | undefined;
  /** The pages that the answer cites by their numbers, shown as links above the footer. */
  readonly sources?: readonly Source[] | undefined;
};

export type Button = { readonly label: string; readonly action: ButtonAction | TurnCommand };

/** A button whose press is an interaction of this name, with the root of the thread and the question as arguments: see `CardAction`. */
export type TurnCommand = { readonly kind: 'command'; readonly name: string };

/** The kind of a status: the bot works, begins to wait, or still waits. */
export type StatusKind = 'work' | 'wait' | 'waiting';

/** Messages of the bot, each list oldest first. */
export type OrphanedMessages = {
  /** Messages that the platform attributes to the turn. */
  readonly ofTurn: readonly MessageId[];
  /** Answers in the thread whose question is unknown. */
  readonly unattributed: readonly MessageId[];
  /** A rate limit prevented the search: there may be messages. */
  readonly isIncomplete?: true | undefined;
};
