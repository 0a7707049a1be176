import {
  estimateTokens,
  countJsonBytes,
  type MaskedCounts,
  type ToolCallRecord,
  truncateToJsonBytes,
  type Usage,
} from '../../domain/index.ts';
import type { Reply, Step } from '../../platforms/ports/index.ts';
import { findFenceAt } from '../../platforms/markdown/index.ts';
import type { CompletionEvent } from '../../ports/index.ts';
import type { StatusIndicator } from './progress-display.ts';

type BufferEnd = Extract<CompletionEvent, { type: 'end' }>;

export type AnswerBufferOptions = {
  readonly reply: Reply;
  readonly statusIndicator: StatusIndicator;
  /** The bot's own words before those of the model; empty for none. */
  readonly opening: string;
  /** Earlier words of the model, already shown, that this answer continues; there is no opening then. Empty for a new answer. */
  readonly prefix: string;
  /** The most bytes of JSON that the answer may have, prefix and opening included. */
  readonly maxBytes: number;
  /** Called once if the model writes more than `maxBytes`. */
  readonly onFull: () => void;
};

/** The maximum number of characters, reasoning included, after which a request is ended. */
const MAX_RECEIVED_CHARS = 2_000_000;

/** An answer while it is being written, over all its requests to models: the words that are shown, and the usage. */
export class AnswerBuffer {
  readonly #context: AnswerBufferOptions;
  readonly #steps = new Map<string, Step>();
  #words = '';
  /** The next words follow a tool round: a blank line separates them. */
  #isAfterTools = false;
  /** Words and reasoning of the current request. */
  #received: string | undefined;
  /** Words of the current request. */
  #requestWords = '';
  #requests = 0;
  #tokens = 0;
  #isExact = true;
  #usage: Usage | undefined;
  #isUsageEstimated = false;
  /** Of the current request, as estimated. */
  #promptTokens = 0;
  readonly #omitted = new Set<string>();
  readonly #toolCalls: ToolCallRecord[] = [];
  #masked: MaskedCounts | undefined;
  #end: BufferEnd | undefined;
  /** In bytes of JSON. */
  #room: number;
  #isFull = false;

  constructor(context: AnswerBufferOptions) {
    this.#context = context;
    this.#room = context.maxBytes - countJsonBytes(context.prefix) - countJsonBytes(this.#opening());
  }

  /** The model wrote more than there is room for. The rest is dropped. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The visible text so far, with the opening; empty while there are no words of the model. */
  get text(): string {
    return this.#words === '' ? '' : this.#opening() + this.#words;
  }

  /** The usage of all requests. What the upstream did not report is estimated. Undefined if nothing was received. */
  get usage(): Usage | undefined {
    return this.#received ? addUsage(this.#usage, this.#estimatedUsage()) : this.#usage;
  }

  /** Whether part of the usage is estimated. */
  get isUsageEstimated(): boolean {
    return this.#isUsageEstimated || Boolean(this.#received);
  }

  /** Records a request field, as on the wire, that was left out because the model does not support it. */
  omit(field: string): void {
    this.#omitted.add(field);
  }

  /** The request fields that were left out of any request. */
  get omitted(): readonly string[] {
    return [...this.#omitted];
  }

  /** Records a call of a tool that administrators turned on. */
  recordCall(call: ToolCallRecord): void {
    this.#toolCalls.push(call);
  }

  get toolCalls(): readonly ToolCallRecord[] {
    return this.#toolCalls;
  }

  /** Records the private data that was masked in a request. A later request has the messages of the one before. */
  recordMasked(counts: MaskedCounts): void {
    this.#masked = counts;
  }

  /** The private data that was masked in the last request; undefined if none was. */
  get masked(): MaskedCounts | undefined {
    return this.#masked;
  }

  /** The end of the last complete request. */
  get end(): BufferEnd | undefined {
    return this.#end;
  }

  /** The tokens written so far. Not exact if some of them are estimated. */
  get tokens(): { readonly count: number; readonly exact: boolean } {
    if (!this.#received) return { count: this.#tokens, exact: this.#isExact };
    return { count: this.#tokens + estimateTokens(this.#received), exact: false };
  }

  /** All steps. One that still runs counts as failed. */
  steps(): Step[] {
    return [...this.#steps.values()].map((step) =>
      step.state === 'running' ? { ...step, state: 'failed' } : step,
    );
  }

  /** The number of requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** `promptTokens`: of the request, as estimated. Used if the upstream does not report the usage. */
  beginRequest(promptTokens: number): void {
    this.#requests += 1;
    this.#promptTokens = promptTokens;
    this.#received = '';
    this.#requestWords = '';
    this.#isAfterTools = this.#words !== '' && !this.#words.endsWith('\n');
  }

  /** Shows words of the model, as far as there is room. */
  addWords(received: string): void {
    if (received === '') return;
    const words = this.#fitting(received);
    if (words === '') return;
    const before = this.#words === '' ? this.#opening() : '';
    const gap = this.#isAfterTools ? '\n\n' : '';
    this.#isAfterTools = false;
    if (this.#words === '') this.#context.statusIndicator.stop().catch(() => undefined);
    this.#words += gap + words;
    this.#requestWords += words;
    this.addReasoning(words);
    this.#context.reply.write(before + gap + words);
  }

  #fitting(words: string): string {
    if (this.#isFull) return '';
    // The blank line behind a tool round has four bytes as JSON.
    const fitting = truncateToJsonBytes(words, Math.max(0, this.#room - 4));
    this.#room -= countJsonBytes(fitting) + 4 * Number(this.#isAfterTools);
    if (fitting.length < words.length) this.#fill();
    return fitting;
  }

  #fill(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#context.onFull();
  }

  /** Counts reasoning, which is not shown here. */
  addReasoning(words: string): void {
    this.#received = (this.#received ?? '') + words;
    // It is not stored but stays in memory, which ten concurrent answers share.
    if (this.#received.length > MAX_RECEIVED_CHARS) this.#fill();
  }

  step(step: Step): void {
    this.#steps.set(step.id, step);
    this.#context.reply.step(step);
  }

  /** The whole text with these words in place of those of the last request. */
  createVersion(words: string): string {
    return this.text.slice(0, this.text.length - this.#requestWords.length) + words;
  }

  /** The current request has ended. */
  endRequest(end: BufferEnd): void {
    if (this.#requestWords === '') this.addWords(end.text);
    else this.#dropReasoning(end.text);
    const { usage, alternatives = [], toolCalls = [] } = end;
    const unseen = [...alternatives, ...toolCalls.map((call) => call.name + call.arguments)];
    if (usage === undefined) this.addReasoning(unseen.join(''));
    this.#isExact &&= usage !== undefined;
    this.#tokens += usage?.completionTokens ?? (this.#received ? estimateTokens(this.#received) : 0);
    this.#usage = addUsage(this.#usage, usage ?? this.#estimatedUsage());
    this.#isUsageEstimated ||= usage === undefined;
    for (const field of end.omitted ?? []) this.#omitted.add(field);
    this.#end = end;
    this.#received = undefined;
  }

  /** The beginning of the words may turn out to be reasoning at their end. The reply shows it until it is published. */
  #dropReasoning(text: string): void {
    const isPart =
      text !== '' && text.length < this.#requestWords.length && this.#requestWords.endsWith(text);
    if (!isPart) return;
    this.#words = this.#words.slice(0, -this.#requestWords.length) + text;
    this.#requestWords = text;
  }

  /**
   * The whole text with a last sentence of the bot's own, and the length of that ending, for `removeNotice`: of everything if the model wrote
   * nothing. Closes an open code fence before the sentence. Writes the sentence to the reply only if there are words before it.
   */
  withNotice(notice: string): { readonly text: string; readonly closing: number } {
    const words = this.#context.prefix + this.#words;
    if (words === '') {
      // The opening is the bot's own, too: an answer that was stopped before its first word has no words to keep.
      const text = this.#opening() + notice;
      return { text, closing: text.length };
    }
    const end = `${openFence(words)}\n\n${notice}`;
    this.#context.reply.write(end);
    return { text: this.text + end, closing: end.length };
  }

  #estimatedUsage(): Usage {
    const completionTokens = this.#received ? estimateTokens(this.#received) : 0;
    return { promptTokens: this.#promptTokens, completionTokens, reasoningTokens: 0, cachedTokens: 0 };
  }

  #opening(): string {
    const { opening, prefix } = this.#context;
    return opening !== '' && prefix === '' ? `${opening}\n\n` : '';
  }
}

/** The characters that close the code fence at the end of the words. A fence in a quotation or a list ends with that. */
export function openFence(words: string): string {
  const fence = findFenceAt(`${words}\n`, words.length + 1);
  if (!fence || fence.isQuoted || fence.indent > 0) return '';
  return words.endsWith('\n') ? fence.marker : `\n${fence.marker}`;
}

/** Adds the tokens of two requests. */
export function addUsage(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
  };
}
