import type { MessageId } from '../../domain/index.ts';
import { closeOpenBlocks, getClosing, findCut, getOpening, type Range } from '../markdown/index.ts';
import type { Step } from '../ports/index.ts';
import type { Log, Time } from '../../runtime/index.ts';
import { type CallFailure, getFailureReason } from '../index.ts';
import {
  addUnconfirmedPost,
  type AnswerMessage,
  type AnswerState,
  createMessageState,
  findStreamedStep,
  PendingSteps,
  cleanStep,
} from './answer-state.ts';
import { fits, syncMessage } from './publish.ts';
import { rollOver } from './pacer.ts';
import { type Addition, type Layout, type NativeStreams, type Transport } from './transport.ts';

/** An edit that takes longer is left to `publishAnswer`. */
const EDIT_TIMEOUT_MS = 20_000;

export type MessageWriterDeps<L extends Layout> = {
  readonly answer: AnswerState;
  readonly transport: Transport<L>;
  readonly time: Time;
  /** Aborted when the streaming ends. */
  readonly signal: AbortSignal;
  /** Sends nothing for `waitMs`, as the platform asks. */
  readonly postpone: (waitMs: number) => void;
  readonly log?: Log | undefined;
};

/**
 * Spreads a growing answer over messages: appends to a native stream where the platform has them, edits elsewhere, and begins
 * the next message when one is full.
 */
export class MessageWriter<L extends Layout> {
  readonly #deps: MessageWriterDeps<L>;
  readonly #answer: AnswerState;
  readonly #transport: Transport<L>;
  readonly #pending = new PendingSteps();
  /** All words so far, sanitized. */
  #words = '';
  /** How many of them the last layout contains. */
  #laidOut = 0;
  /** Offset in the laid out text up to which it was sent. */
  #sentTo = 0;
  #lastMax = Infinity;
  /** The text of the messages that are complete. */
  readonly #complete: Range[] = [];
  /** The message that is being written; undefined before the first one, and when one is complete. */
  #message: AnswerMessage | undefined;
  /** What it begins with before its words: the start of a code fence, or the header of a table. */
  #opening = '';
  #startedAt = 0;
  /** The message takes appended words; otherwise it is edited. */
  #isAppending = false;
  /** The platform takes no more into the stream than it shows. */
  #isFull = false;
  /** The answer has as many messages as it may have. */
  #isTruncated = false;
  /** The platform says that a person has stopped the answer. */
  #isStopped = false;

  constructor(deps: MessageWriterDeps<L>) {
    this.#deps = deps;
    this.#answer = deps.answer;
    this.#transport = deps.transport;
  }

  get isAppending(): boolean {
    return this.#isAppending;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether there is something that people have not seen yet. */
  get hasWork(): boolean {
    return this.#pending.isDue || (!this.#isTruncated && this.#unsentWords().trim() !== '');
  }

  /** Whether the current message is complete and the next message continues the text. */
  get continuesInNextMessage(): boolean {
    const rest = this.#message || this.#isTruncated ? '' : this.#answer.text.slice(this.#sentTo);
    return rest.trim() !== '';
  }

  /** The words that the next stream begins with; undefined if no stream is about to begin, or it begins with a step. */
  get wordsOfNextStream(): string | undefined {
    const { messages, needsLookup } = this.#answer;
    if (!this.#transport.streams || this.#message || this.#pending.isDue || needsLookup) return undefined;
    return messages[this.#complete.length]?.id === undefined ? this.#unsentWords() : undefined;
  }

  addWords(words: string): void {
    this.#words += words;
  }

  /** Returns whether the step can be shown now. One that a closed stream shows is left to `publishAnswer`. */
  addStep(step: Step): boolean {
    const { steps, messages } = this.#answer;
    const visibleStep = findStreamedStep(this.#answer, step.id);
    const fitted = this.#transport.rules.fitStep(cleanStep(step), steps.values(), visibleStep);
    steps.set(fitted.id, fitted);
    const closed = messages.filter((message) => message !== this.#message);
    if (closed.some(({ streamedSteps }) => streamedSteps.has(fitted.id))) return false;
    this.#pending.add(fitted);
    return true;
  }

  /** Goes on with the current message, or begins one. Rejects as `syncMessage` does. */
  async send(onBegin: () => void): Promise<void> {
    const layout = this.#layOut();
    if (layout.limit.max < this.#lastMax) this.#restartUnlessFitting(layout);
    if (this.#pending.isDue) await this.#updateComplete(layout);
    if (this.#message) return this.#continue(this.#message, layout);
    const hasText = !this.#isTruncated && layout.text.slice(this.#sentTo).trim() !== '';
    if (!hasText && !this.#pending.isDue) return;
    onBegin();
    await this.#begin(layout);
  }

  /** The words that are not laid out yet count as they were written. */
  #unsentWords(): string {
    return this.#answer.text.slice(this.#sentTo) + this.#words.slice(this.#laidOut);
  }

  #layOut(): L {
    const steps = [...this.#answer.steps.values()];
    const layout = this.#transport.rules.layOut({ text: this.#words, steps, isGrowing: true });
    this.#answer.text = layout.text;
    this.#laidOut = this.#words.length;
    return layout;
  }

  /** If there is less room than before, complete messages may have to be split again. */
  #restartUnlessFitting({ text, limit }: L): void {
    const { messages } = this.#answer;
    this.#lastMax = limit.max;
    if (this.#transport.streams) return;
    if (this.#complete.every((range, index) => fits(text, range, limit, messages[index]))) return;
    for (const message of messages) message.from = undefined;
    this.#complete.length = 0;
    this.#message = undefined;
    this.#isTruncated = false;
    this.#sentTo = 0;
  }

  /** Shows new steps in complete messages, except for streams. */
  async #updateComplete(layout: L): Promise<void> {
    for (const [index, range] of this.#complete.entries()) {
      const message = this.#answer.messages[index];
      if (!message || message.isNative) continue;
      const isLast = this.#isTruncated && index === this.#complete.length - 1;
      await this.#show(message, closeOpenBlocks(layout.text, range, layout.limit), layout, isLast);
    }
  }

  async #continue(message: AnswerMessage, layout: L): Promise<void> {
    const { text, limit } = layout;
    const from = message.from ?? 0;
    const streams = this.#isAppending ? this.#transport.streams : undefined;
    const steps = streams ? this.#pending.listFittingSteps(streams, message, message.shown ?? '', limit) : [];
    const end = this.#isFull && this.#sentTo > from ? this.#sentTo : this.#findEnd(message, layout, streams);
    const to = end ?? text.length;
    const { id, shown } = message;
    if (end !== undefined || !streams || id === undefined || shown === undefined)
      return this.#showUpTo(message, to, layout, end !== undefined);
    const words = `${this.#opening}${text.slice(from, to)}`.slice(shown.length);
    await this.#append(streams, message, id, { words, steps, to });
  }

  /** The offset at which the message has to end; undefined while it can grow. */
  #findEnd(
    message: AnswerMessage,
    { text, limit }: L,
    streams: NativeStreams<L> | undefined,
  ): number | undefined {
    const from = message.from ?? 0;
    if (streams) {
      const ageMs = this.#deps.time.now() - this.#startedAt;
      const reserved = this.#pending.measureWithDue(streams, message);
      return rollOver({ text, from, shownLength: this.#sentTo, limit, reserved, ageMs });
    }
    const cut = findCut(text, from, limit);
    return cut < text.length ? cut : undefined;
  }

  /** Begins the next message: a stream, or a post if the platform has no streams. */
  async #begin(layout: L): Promise<void> {
    const { text, limit } = layout;
    const { messages, needsLookup } = this.#answer;
    const from = this.#sentTo;
    const index = this.#complete.length;
    const message = (messages[index] ??= createMessageState(index));
    message.from = from;
    this.#message = message;
    this.#isFull = false;
    this.#startedAt = this.#deps.time.now();
    const streams = message.id === undefined && !needsLookup ? this.#transport.streams : undefined;
    this.#isAppending = streams !== undefined;
    this.#pending.beginMessage();
    const steps = streams ? this.#pending.listFittingSteps(streams, message, '', limit) : [];
    const to = findCut(text, from, limit, { reserved: streams?.measureSteps(steps) ?? 0 });
    this.#opening = getOpening(text, from, limit);
    const words = this.#opening + text.slice(from, to);
    const hasStarted = streams && (await this.#start(streams, message, { words, steps, to }));
    if (!hasStarted) await this.#showUpTo(message, to, layout, to < text.length);
  }

  /** Whether the platform has started a stream for the message. */
  async #start(streams: NativeStreams<L>, message: AnswerMessage, addition: Addition): Promise<boolean> {
    const { steps, to } = addition;
    const words = addition.words.trim() === '' ? '' : addition.words;
    try {
      message.id = await streams.start(words, steps);
      message.shown = words;
      message.frame = '';
      message.isStreaming = true;
      message.isNative = true;
      this.#sentTo = to;
      this.#pending.recordStreamed(message, steps);
      return true;
    } catch (error) {
      this.#isAppending = false;
      const { rules } = this.#transport;
      const failure = rules.classifyError(error);
      if (failure.kind === 'unknown') addUnconfirmedPost(this.#answer, this.#startedAt);
      if (streams.getMeaning(failure) === 'cannot-post') throw error;
      this.#deps.log?.(`${rules.platform}.stream-start-failed`, { reason: getFailureReason(failure) });
      return false;
    }
  }

  async #append(
    streams: NativeStreams<L>,
    message: AnswerMessage,
    id: MessageId,
    { words: added, steps, to }: Addition,
  ): Promise<void> {
    const words = added.trim() === '' ? '' : added;
    if (words === '' && steps.length === 0) return;
    try {
      await streams.append(id, words, steps, message.streamedSteps);
      message.shown = (message.shown ?? '') + words;
      this.#pending.recordStreamed(message, steps);
      if (words !== '') this.#sentTo = to;
    } catch (error) {
      this.#appendFailed(this.#transport.rules.classifyError(error), message, steps);
    }
  }

  #appendFailed(failure: CallFailure, message: AnswerMessage, steps: readonly Step[]): void {
    const { rules, streams } = this.#transport;
    if (failure.kind === 'busy') this.#deps.postpone(failure.waitMs);
    if (failure.kind === 'busy' || failure.kind === 'transient') return;
    this.#deps.log?.(`${rules.platform}.append-failed`, { reason: getFailureReason(failure) });
    const meaning = streams?.getMeaning(failure);
    if (meaning === 'full' && this.#sentTo > (message.from ?? 0)) {
      this.#isFull = true;
      streams?.lowerLimit(message.shown ?? '', message.streamedSteps);
      this.#pending.defer(message, steps);
      return;
    }
    // From here on the words are replaced as a whole, which is right whatever has become of these.
    this.#isAppending = false;
    message.shown = undefined;
    this.#isStopped = meaning === 'stopped';
  }

  /** Shows the current message by an edit or a post. `isComplete`: the next message continues the text. */
  async #showUpTo(message: AnswerMessage, to: number, layout: L, isComplete: boolean): Promise<void> {
    const { text } = layout;
    const from = message.from ?? 0;
    const isLast = !isComplete || message.index + 1 >= layout.maxMessages;
    const words = `${this.#opening}${text.slice(from, to)}${getClosing(text, to, true)}`;
    await this.#show(message, words, layout, isLast);
    this.#isAppending = false;
    this.#sentTo = to;
    if (!isComplete) return;
    this.#complete.push({ from, to });
    this.#message = undefined;
    this.#isTruncated = isLast;
  }

  async #show(message: AnswerMessage, text: string, layout: L, isLast: boolean): Promise<void> {
    const { time, signal } = this.#deps;
    const deadline = time.now() + EDIT_TIMEOUT_MS;
    const content = {
      layout,
      text,
      steps: this.#pending.take(message, this.#answer),
      isLast,
      isTruncated: false,
    };
    await syncMessage(message, content, this.#answer, this.#transport, { time, deadline, signal });
  }
}
