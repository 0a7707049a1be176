import type { MessageId } from '../../domain/index.ts';
import type { TextLimit } from '../markdown/index.ts';
import type { AnswerActions, Step } from '../ports/index.ts';
import type { CallFailure } from '../index.ts';
import type { AnswerMessage, StepSizes } from './answer-state.ts';

/** The content of an answer. */
export type AnswerContent = {
  /** Sanitized Markdown. */
  readonly text: string;
  readonly steps: readonly Step[];
  /** More words may follow: the last message has a Stop button. */
  readonly isGrowing: boolean;
  /** Buttons and footer of the complete answer. */
  readonly actions?: AnswerActions | undefined;
};

/** How a platform spreads an answer over messages. A transport adds what it renders once for all of them. */
export type Layout = {
  /**
   * The words as the platform shows them, for example with drawn tables. For a growing answer, a prefix of
   * the later text.
   */
  readonly text: string;
  /** The limit for the words of one message. */
  readonly limit: TextLimit;
  /** The maximum number of messages. Further words are not posted. */
  readonly maxMessages: number;
};

/** The content of one message. */
export type MessageContent<L extends Layout = Layout> = {
  readonly layout: L;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly isLast: boolean;
  /** The answer has more words than its messages show. */
  readonly isTruncated: boolean;
};

/** Words and steps to append to a stream, and the offset in the text behind these words. */
export type Addition = { readonly words: string; readonly steps: readonly Step[]; readonly to: number };

/** What to do after the platform has refused a request. */
export type Recovery =
  /** Send the message again: the transport now renders it differently, or knows its state better. */
  | 'retry'
  /** Post a new message: the old one is deleted. */
  | 'repost'
  /** Post a new message and delete the old one, which cannot be edited. */
  | 'replace'
  /** Split the answer into shorter messages. */
  | 'split'
  | 'nothing';

/** The message to look for after a post with an unknown outcome. */
export type Lookup = {
  readonly index: number;
  /** Other messages of the answer. */
  readonly known: ReadonlySet<MessageId | undefined>;
  /** Streams that began before this time (ms since 1970) do not belong to this answer. */
  readonly since: number;
};

/**
 * The requests that make up an answer. Each makes one request, or few that are safe to repeat, and rejects as the platform's
 * client does, with ThreadDeletedError when nothing can be posted any more, or with LayoutChangedError. Those that change a
 * message set its `shown` and `frame`: undefined before the request, known after it.
 */
export interface Transport<L extends Layout> {
  /** Posts a message and sets its id. */
  post(message: AnswerMessage, content: MessageContent<L>): Promise<void>;
  /** Replaces all that a message shows. */
  edit(message: AnswerMessage, id: MessageId, content: MessageContent<L>): Promise<void>;
  /** Deletes a message. Resolves if there is none. */
  delete(id: MessageId): Promise<void>;
  /** Finds the message that a post with an unknown outcome has made. */
  find(lookup: Lookup): Promise<{ readonly id: MessageId; readonly isStreaming: boolean } | undefined>;
  /** Undefined if messages grow by edits only. */
  readonly streams: NativeStreams<L> | undefined;
  readonly rules: TransportRules<L>;
}

/** Messages that grow by appended words and by steps. The layout of such a platform leaves the words as they are. */
export interface NativeStreams<L extends Layout> extends StepSizes {
  /** Starts a stream with its first words or steps. */
  start(words: string, steps: readonly Step[]): Promise<MessageId>;
  /** `visibleSteps`: what the stream shows of the steps, by id. */
  append(
    id: MessageId,
    words: string,
    steps: readonly Step[],
    visibleSteps: ReadonlyMap<string, Step>,
  ): Promise<void>;
  /** Ends the stream, with what is missing if that can be appended. Sets the state of the message. */
  close(message: AnswerMessage, id: MessageId, content: MessageContent<L>): Promise<void>;
  /** Call when the platform refused to append to a stream that shows this: later layouts have a lower limit. */
  lowerLimit(words: string, visibleSteps: ReadonlyMap<string, Step>): void;
  /** Returns the meaning of a failed request to start or to append. */
  getMeaning(failure: CallFailure): 'full' | 'stopped' | 'cannot-post' | 'other';
  /** Other people than the asker may watch: until a stream is closed, they see only its first words. */
  readonly isWatched: boolean;
}

/** Decisions of a platform that need no request. */
export interface TransportRules<L extends Layout> {
  /** The platform's name: the first part of its log events. */
  readonly platform: string;
  /** The smallest limit to which messages are split, in the unit of the layout's limit. */
  readonly minLimit: number;
  /** Waits for what the first layout needs. Undefined if nothing is missing: the first words are then sent at once. */
  prepare(): Promise<void> | undefined;
  layOut(content: AnswerContent): L;
  /** Whether people see exactly this. */
  shows(message: AnswerMessage, content: MessageContent<L>): boolean;
  /** The step shortened to what the platform can show beside `others`; `visibleStep` is what its stream shows already. */
  fitStep(step: Step, others: Iterable<Step>, visibleStep: Step | undefined): Step;
  /** Classifies the error of a rejected request. */
  classifyError(error: unknown): CallFailure;
  /** Whether a post of the message can be repeated without a second message. */
  isRepeatable(message: AnswerMessage): boolean;
  /** Returns what to do after a refusal. Rejects with LayoutChangedError, or with an error that ends the answer. */
  recover(error: unknown, message: AnswerMessage, content: MessageContent<L>): Promise<Recovery>;
}

/** Nothing was posted, because the content of the messages has changed: they have to be laid out again. */
export class LayoutChangedError extends Error {
  override readonly name = 'LayoutChangedError';
}

/** The platform measures the message as too long: the answer has to be split into smaller messages. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError';
}
