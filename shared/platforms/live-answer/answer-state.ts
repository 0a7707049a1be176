import type { MessageId } from '../../domain/index.ts';
import type { Step } from '../ports/index.ts';

/** One message of an answer. Long answers have several. */
export type AnswerMessage = {
  readonly index: number;
  /** Undefined until it is posted. */
  id: MessageId | undefined;
  /** How many messages with this index were given up. Tells a new post from a repeated one. */
  generation: number;
  /** It was started as a native stream and may still be open: the platform may refuse edits. */
  isStreaming: boolean;
  /** Its words were streamed and never replaced by an edit. */
  isNative: boolean;
  /** The steps that its stream shows, in the state shown, by id. */
  readonly streamedSteps: Map<string, Step>;
  /** The words that people see, if known. */
  shown: string | undefined;
  /** Identifies what people see beside the words: steps, buttons, files. Only valid while `shown` is known. */
  frame: string;
  /** Offset in the answer's text. Undefined for a message of an earlier attempt that is not reused yet. */
  from: number | undefined;
};

/** What is posted of an answer. The stream changes it while the model writes, then `publishAnswer` does. */
export type AnswerState = {
  /** The words as laid out by the platform: what the messages show, or will show. */
  text: string;
  readonly messages: AnswerMessage[];
  /** The steps in the order in which they began. */
  readonly steps: Map<string, Step>;
  /** Posts with an unknown outcome whose message was not found. */
  unconfirmedPosts: number;
  /** The message of an unconfirmed post has to be looked for before the next post. */
  needsLookup: boolean;
  /** A stream that began since then (ms since 1970) may be the result of an unconfirmed request. */
  unconfirmedSince: number;
  /** Messages that another message has replaced and that have to be deleted. */
  readonly replaced: MessageId[];
};

/** `existing`: messages of an earlier attempt, in order. */
export function newAnswerState(existing: readonly MessageId[] = []): AnswerState {
  return {
    text: '',
    messages: existing.map((id, index) => newMessage(index, id)),
    steps: new Map(),
    unconfirmedPosts: 0,
    needsLookup: false,
    unconfirmedSince: Infinity,
    replaced: [],
  };
}

export function newMessage(index: number, id?: MessageId): AnswerMessage {
  return {
    index,
    id,
    generation: 0,
    isStreaming: false,
    isNative: false,
    streamedSteps: new Map(),
    shown: undefined,
    frame: '',
    from: undefined,
  };
}

export function idsOf({ messages }: Pick<AnswerState, 'messages'>): MessageId[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** The message is given up: the next post makes another one with its index. */
export function resetMessage(message: AnswerMessage): void {
  message.id = undefined;
  message.shown = undefined;
  message.isStreaming = false;
  message.isNative = false;
  message.generation += 1;
  message.streamedSteps.clear();
}

/** An edit or a post has made the message show these words within this frame. */
export function setShown(message: AnswerMessage, words: string, frame: string): void {
  message.shown = words;
  message.frame = frame;
  message.isNative = false;
  message.streamedSteps.clear();
}

/** The clocks of the platform and of this process may differ by this. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** The outcome of a post is unknown; `streamedAt` (ms since 1970) if it was to start a stream. */
export function addUnconfirmedPost(answer: AnswerState, streamedAt = Infinity): void {
  answer.needsLookup = true;
  answer.unconfirmedPosts += 1;
  answer.unconfirmedSince = Math.min(answer.unconfirmedSince, streamedAt - MAX_CLOCK_SKEW_MS);
}

/**
 * The steps that a message shows. The first message shows all steps except those that the stream of another message shows;
 * the others show the steps of their own stream.
 */
export function stepsOf(
  message: AnswerMessage,
  { messages }: Pick<AnswerState, 'messages'>,
  steps: readonly Step[],
): Step[] {
  if (message.index > 0) return steps.filter(({ id }) => message.streamedSteps.has(id));
  const others = messages.filter((other) => other !== message && other.isNative);
  return steps.filter(
    ({ id }) => message.streamedSteps.has(id) || !others.some(({ streamedSteps }) => streamedSteps.has(id)),
  );
}

/** What the stream of any message shows of a step. */
export function streamedStep({ messages }: Pick<AnswerState, 'messages'>, id: string): Step | undefined {
  return messages.flatMap(({ streamedSteps }) => streamedSteps.get(id) ?? []).at(-1);
}
