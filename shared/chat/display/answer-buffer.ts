import { estimateTokens, jsonBytes, truncateToJsonBytes, type Usage } from '../../domain/index.ts';
import type { Reply, Step } from '../../platforms/ports/platform.ts';
import { fenceAt } from '../../platforms/markdown/index.ts';
import type { CompletionEvent } from '../../context/ports.ts';
import type { StatusIndicator } from './status-indicator.ts';

type BufferEnd = Extract<CompletionEvent, { type: 'end' }>;

export type AnswerBufferOptions = {
  readonly reply: Reply;
  readonly thinking: StatusIndicator;
  /** The bot's own words, which stand before the model's. */
  readonly opening?: string | undefined;
  /** Words of the model from before, shown already, which these go on from; then there is no opening. */
  readonly prefix?: string | undefined;
  /** How many bytes of JSON the answer may have, prefix and opening included; absent: any number. */
  readonly maxBytes?: number | undefined;
  /** Told once that the model says more than there is room for. */
  readonly onFull?: (() => void) | undefined;
};

/** How many characters of one request, reasoning included, are taken in before it is ended. */
const MAX_RECEIVED_CHARS = 2_000_000;

/** An answer while it is being made, over all the requests it takes: what is shown of it, and what it has cost. */
export class AnswerBuffer {
  readonly #context: AnswerBufferOptions;
  readonly #steps = new Map<string, Step>();
  #words = '';
  /** The next words follow on a round of tools. */
  #apart = false;
  /** What has come of the request under way: words and reasoning alike. */
  #open: string | undefined;
  #said = '';
  #requests = 0;
  #tokens = 0;
  #exact = true;
  #usage: Usage | undefined;
  #end: BufferEnd | undefined;
  /** In bytes of JSON. */
  #room: number;
  #full = false;

  constructor(context: AnswerBufferOptions) {
    this.#context = context;
    const { maxBytes = Infinity, prefix = '' } = context;
    this.#room = maxBytes - jsonBytes(prefix) - jsonBytes(this.#opening());
  }

  /** The model said more than there is room for. What came first stays; the rest is dropped. */
  get isFull(): boolean {
    return this.#full;
  }

  /** The visible text so far, the opening included; empty while there is none of the model's words. */
  get text(): string {
    return this.#words === '' ? '' : this.#opening() + this.#words;
  }

  /** What the model counted over all requests; undefined if it never did. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** How the last request that came to its end ended. */
  get end(): BufferEnd | undefined {
    return this.#end;
  }

  /** The tokens written so far. What has not been counted is estimated, and the count then not exact. */
  get tokens(): { readonly count: number; readonly exact: boolean } {
    if (!this.#open) return { count: this.#tokens, exact: this.#exact };
    return { count: this.#tokens + estimateTokens(this.#open), exact: false };
  }

  /** Every step as it stands. One that still ran when the answer ended has failed. */
  steps(): Step[] {
    return [...this.#steps.values()].map((step) =>
      step.state === 'running' ? { ...step, state: 'failed' } : step,
    );
  }

  /** How many requests were begun. */
  get requests(): number {
    return this.#requests;
  }

  begin(): void {
    this.#requests += 1;
    this.#open = '';
    this.#said = '';
    this.#apart = this.#words !== '' && !this.#words.endsWith('\n');
  }

  /** Shows words of the model, as far as there is room for them. */
  say(given: string): void {
    if (given === '') return;
    const words = this.#fitting(given);
    if (words === '') return;
    const before = this.#words === '' ? this.#opening() : '';
    const gap = this.#apart ? '\n\n' : '';
    this.#apart = false;
    if (this.#words === '') this.#context.thinking.stop().catch(() => undefined);
    this.#words += gap + words;
    this.#said += words;
    this.think(words);
    this.#context.reply.write(before + gap + words);
  }

  #fitting(words: string): string {
    if (this.#full) return '';
    // The blank line that sets a round of tools apart is four bytes as JSON.
    const fitting = truncateToJsonBytes(words, Math.max(0, this.#room - 4));
    this.#room -= jsonBytes(fitting) + 4 * Number(this.#apart);
    if (fitting.length < words.length) this.#fill();
    return fitting;
  }

  #fill(): void {
    if (this.#full) return;
    this.#full = true;
    this.#context.onFull?.();
  }

  /** Counts what the model reasoned; it is not shown here. */
  think(words: string): void {
    this.#open = (this.#open ?? '') + words;
    // It is not stored, but held: ten answers at once share the memory of their process.
    if (this.#open.length > MAX_RECEIVED_CHARS) this.#fill();
  }

  step(step: Step): void {
    this.#steps.set(step.id, step);
    this.#context.reply.step(step);
  }

  /** The request under way has ended. */
  ended(end: BufferEnd): void {
    if (this.#said === '') this.say(end.text);
    const { usage } = end;
    this.#exact &&= usage !== undefined;
    this.#tokens += usage?.completionTokens ?? (this.#open ? estimateTokens(this.#open) : 0);
    if (usage) this.#usage = this.#usage ? sum(this.#usage, usage) : usage;
    this.#end = end;
    this.#open = undefined;
  }

  /**
   * The whole text with a last sentence of the bot's own, and how many characters of it are to be taken off again for the
   * words of the model alone (`withoutNotice`). The sentence is shown only if words were; a code fence that is open ends
   * before it.
   */
  closedBy(notice: string): { readonly text: string; readonly closing: number } {
    const words = (this.#context.prefix ?? '') + this.#words;
    if (words === '') return { text: this.#opening() + notice, closing: notice.length };
    const end = `${openFence(words)}\n\n${notice}`;
    this.#context.reply.write(end);
    return { text: this.text + end, closing: end.length };
  }

  #opening(): string {
    const { opening, prefix } = this.#context;
    return opening && !prefix ? `${opening}\n\n` : '';
  }
}

/** What ends the code fence that is open behind the words. One in a quotation or a list ends with it. */
export function openFence(words: string): string {
  const fence = fenceAt(`${words}\n`, words.length + 1);
  if (!fence || fence.quoted || fence.indent > 0) return '';
  return words.endsWith('\n') ? fence.marker : `\n${fence.marker}`;
}

function sum(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
  };
}
