import type { MessageId } from '../../domain/index.ts';
import type { Step } from '../ports/index.ts';
import { truncateText } from '../../utils/index.ts';
import { sanitize, type TextLimit } from '../markdown/index.ts';

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
export function createAnswerState(existing: readonly MessageId[] = []): AnswerState {
  return {
    text: '',
    messages: existing.map((id, index) => createMessageState(index, id)),
    steps: new Map(),
    unconfirmedPosts: 0,
    needsLookup: false,
    unconfirmedSince: Infinity,
    replaced: [],
  };
}

/** A message with this index that shows nothing yet or, with `id`, something unknown. */
export function createMessageState(index: number, id?: MessageId): AnswerMessage {
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

/** The ids of the posted messages, in order. */
export function listMessageIds({ messages }: Pick<AnswerState, 'messages'>): MessageId[] {
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
export function listVisibleSteps(
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
export function findStreamedStep({ messages }: Pick<AnswerState, 'messages'>, id: string): Step | undefined {
  return messages.flatMap(({ streamedSteps }) => streamedSteps.get(id) ?? []).at(-1);
}

const MAX_TITLE_LENGTH = 250;
const MAX_DETAILS_LENGTH = 1_500;
/** Longer details are not shown behind the title. */
const MAX_INLINE_DETAILS_LENGTH = 80;

const SIGN = { running: '…', done: '✓', failed: '✗' } as const;

/** The step shortened and sanitized for a platform. */
export function cleanStep({ id, title, state, details, file }: Step): Step {
  const visibleTitle = truncateText(sanitize(title).replace(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH) || '…';
  const more = details === undefined ? undefined : truncateText(sanitize(details).trim(), MAX_DETAILS_LENGTH);
  return {
    id: truncateText(id, MAX_TITLE_LENGTH),
    title: visibleTitle,
    state,
    ...(more ? { details: more } : {}),
    ...(file && { file }),
  };
}

/** A line of small print, shortened and sanitized for a platform. */
export const formatFooterLine = (words: string): string =>
  truncateText(sanitize(words).replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_LENGTH);

/** Identifies what the card of a step shows. */
export function identifyStepCard({ title, state, details }: Step): string {
  return JSON.stringify([title, state, details]);
}

/** The step as one line, for example "✓ Thought for 9 s · 640 tokens". Long details are left out. */
export function formatStep({ title, state, details = '' }: Step): string {
  const isShort = details !== '' && details.length <= MAX_INLINE_DETAILS_LENGTH && !details.includes('\n');
  return `${SIGN[state]} ${title}${isShort ? ` · ${details}` : ''}`;
}

/** The final states of all steps: `last`, behind the known steps that it does not have. */
export function mergeLastSteps(known: Iterable<Step>, last: readonly Step[] | undefined): Step[] {
  const final = new Map((last ?? []).map((step) => [step.id, cleanStep(step)]));
  const rest = [...known].filter(({ id }) => !final.has(id));
  const state = last ? 'done' : 'failed';
  const ended = rest.map((step) => (step.state === 'running' ? { ...step, state } : step)) satisfies Step[];
  return [...ended, ...final.values()];
}

/** This share of a stream is kept for words, however many steps there are. */
const MIN_WORDS_SHARE = 0.1;

/** How much room steps take in a message that is streamed. */
export interface StepSizes {
  /** What steps take of the limit of a message. */
  measureSteps(steps: Iterable<Step>): number;
  /** Returns the steps for which the message has room beside `words` (their size), and the rest. */
  fit(
    words: number,
    steps: readonly Step[],
    visibleSteps: ReadonlyMap<string, Step>,
  ): { readonly fitting: readonly Step[]; readonly left: readonly Step[] };
}

type Streamed = Pick<AnswerMessage, 'streamedSteps'>;

/** The steps of an answer that people have not seen in their current state. */
export class PendingSteps {
  readonly #due = new Map<string, Step>();
  /** New steps that the current message has no room for: the next message begins with them. */
  readonly #deferred = new Map<string, Step>();

  add(step: Step): void {
    this.#deferred.delete(step.id);
    this.#due.set(step.id, step);
  }

  /** Whether there is something to show now. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /** The due steps that a stream has room for beside these words. The others are deferred. */
  listFittingSteps(
    streams: StepSizes,
    { streamedSteps }: Streamed,
    words: string,
    { unit, max }: TextLimit,
  ): readonly Step[] {
    const size = Math.max(unit.size(words), max * MIN_WORDS_SHARE);
    const { fitting, left } = streams.fit(size, [...this.#due.values()], streamedSteps);
    this.#due.clear();
    for (const step of fitting) this.#due.set(step.id, step);
    this.defer({ streamedSteps }, left);
    return fitting;
  }

  /** What the steps of a stream measure once the due ones are shown too. */
  measureWithDue(streams: StepSizes, { streamedSteps }: Streamed): number {
    return streams.measureSteps(new Map([...streamedSteps, ...this.#due]).values());
  }

  /** Leaves new steps to the next message. What the steps of this stream lack is left to the end of the answer. */
  defer({ streamedSteps }: Streamed, steps: readonly Step[]): void {
    for (const step of steps) {
      this.#due.delete(step.id);
      if (!streamedSteps.has(step.id)) this.#deferred.set(step.id, step);
    }
  }

  /** A message begins: the deferred steps are due now. */
  beginMessage(): void {
    const due = [...this.#deferred.values(), ...this.#due.values()];
    this.#deferred.clear();
    this.#due.clear();
    for (const step of due) this.#due.set(step.id, step);
  }

  /** Records that the stream shows these steps. A step that has changed since is still due. */
  recordStreamed({ streamedSteps }: Streamed, steps: readonly Step[]): void {
    for (const step of steps) {
      streamedSteps.set(step.id, step);
      if (this.#due.get(step.id) === step) this.#due.delete(step.id);
    }
  }

  /**
   * Returns the steps that an edit of the message shows: for a stream its own and the due ones, otherwise
   * all of its own. After it, none is due.
   */
  take(message: AnswerMessage, answer: AnswerState): Step[] {
    const steps = [...answer.steps.values()];
    const own = listVisibleSteps(message, answer, steps);
    const belongs = (step: Step): boolean =>
      (own.includes(step) || this.#due.has(step.id)) && !this.#deferred.has(step.id);
    const shownSteps = message.isNative ? steps.filter(belongs) : own;
    this.#due.clear();
    return shownSteps;
  }
}
