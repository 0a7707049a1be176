import type { ButtonAction, MessageId } from '../../domain/index.ts';
import type { Locale } from '../../i18n/index.ts';

/** An answer on its way to people: streamed while the model writes, then published. */
export interface Reply {
  /** Adds words to the visible answer, as often as the platform allows. Never throws: `publish` repairs what fails. */
  write(words: string): void;
  /** Shows a step of the work (reasoning, a tool call) beside the words, or its new state. Never throws. */
  step(step: Step): void;
  /** Lets people stop an answer that takes long before anything of it is visible, where the platform has a Stop for that. Never throws. */
  enableStopButton(): void;
  /**
   * Ends the streaming. Resolves, when no request of this answer is under way any more, with the messages that exist: none, one or
   * more. Removes a Stop of the platform's own too, whoever has set it, unless another process continues (`willContinue`). A status
   * stays.
   */
  stopStreaming(willContinue?: boolean): Promise<readonly MessageId[]>;
  /** Resolves once the first message exists, with all messages posted so far. Rejects if nothing can be posted. */
  posted(): Promise<MessageId[]>;
  /** Aborted when a person stops this answer by the platform's own means, or nothing can be posted in its thread any more. */
  readonly stopped: AbortSignal;
  /** The outcome of a request is unknown: a message of this answer may exist that nobody knows of. */
  readonly hasUnconfirmedPosts: boolean;
  /**
   * Makes the visible answer exactly `text`, and deletes superfluous messages. Idempotent, also for a later worker. Rejects with
   * ThreadDeletedError, or with RetryTimeoutError.
   */
  publish(text: string, actions?: AnswerActions): Promise<MessageId[]>;
}

/** What a platform has to know of a question to show its answer. */
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
  /** The whole text of which `details` is a part: shown in its place where an answer can have files. */
  readonly file?: string | undefined;
};

/** What a complete answer has beside its words. */
export type AnswerActions = {
  readonly buttons: readonly Button[];
  readonly steps: readonly Step[];
  /** A line of small print between the words and the buttons. */
  readonly footer?: string | undefined;
};

export type Button = { readonly label: string; readonly action: ButtonAction };

/** What a status says: that the bot works, that it begins to wait, or how a wait stands that was shown before. */
export type StatusKind = 'work' | 'wait' | 'waiting';

/** Messages of the bot, each list oldest first. */
export type OrphanedMessages = {
  /** The platform ties them to the turn. */
  readonly ofTurn: readonly MessageId[];
  /** Answers in the thread of which the platform does not tell the question. */
  readonly unattributed: readonly MessageId[];
  /** The platform limits reading just now: there may be some. */
  readonly isIncomplete?: true | undefined;
};
