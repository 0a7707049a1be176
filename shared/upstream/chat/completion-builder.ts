import { MalformedAnswerError, ServerError, StreamCutError, TooLargeError } from '../errors.ts';
import { createStreamError } from '../http/create-error.ts';
import { parseErrorJson, unwrapErrorList } from '../http/error-body.ts';
import {
  isObject,
  type JsonObject,
  asArray,
  asNumber,
  asObject,
  parseJson,
  asNonEmptyString,
} from '../http/json.ts';
import { parseLogprobs } from './logprobs.ts';
import { type TextDelta, ChunkTemplate } from './chunk-template.ts';
import { addReasoningDetails, joinMessageText, joinReasoning, parseTextDelta } from './message-text.ts';
import { ToolCallMerger } from './tool-calls.ts';
import type { Completion, TokenLogprob, Usage } from '../chat-types.ts';
import { isIncompleteReason, isFailedReason, toFinishReason } from './finish-reason.ts';
import { type DividedText, joinUnended, removeReasoning, splitAtEndTag, ThinkTags } from './think-tags.ts';
import { findUsage } from './usage.ts';

/** Far above any model's answer. Stops a server that never ends its answer. */
const MAX_ANSWER_CHARS = 32 * 1024 * 1024;

/** Facts about the request that the builder needs for errors and for the completion. */
export type CompletionContext = {
  /** Removed from error messages. */
  readonly key: string;
  readonly requestId: string | undefined;
  /** The requested model. Used when the response does not name its own. */
  readonly model: string;
  readonly omitted: readonly string[];
  /** Whether the model's last answer had the end tag of its reasoning only. */
  readonly startsInReasoning?: boolean | undefined;
};

/**
 * Builds a completion from the chunks of a stream, or from one whole body, of either API shape. Pure: no clock, no
 * network.
 */
export class CompletionBuilder {
  /** Whether the answer has the end tag of its reasoning only. Known after `build` or `endText`. */
  hasEndTagOnly: boolean;
  readonly #context: CompletionContext;
  readonly #template = new ChunkTemplate();
  readonly #toolCalls = new ToolCallMerger();
  readonly #logprobs: TokenLogprob[] = [];
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #details: JsonObject[] = [];
  /** The text of the choices after the first, by their index. */
  readonly #alternatives = new Map<number, { text: string; isComplete: boolean }>();
  /** The choices of which deltas brought text or calls. */
  readonly #withDeltas = new Set<number>();
  #thinkTags: ThinkTags;
  #newText = '';
  #newReasoning = '';
  #size = 0;
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #id: string | undefined;
  #model: string | undefined;
  #weightVersion: string | undefined;
  #matchedStop: number | string | undefined;

  constructor(context: CompletionContext) {
    this.#context = context;
    this.hasEndTagOnly = context.startsInReasoning ?? false;
    this.#thinkTags = new ThinkTags(this.hasEndTagOnly);
  }

  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** Characters of text, reasoning and arguments received so far. */
  get size(): number {
    return this.#size;
  }

  /** Whether any content has arrived: text, reasoning or a tool call. */
  get hasContent(): boolean {
    return this.#size > 0 || this.#toolCalls.size > 0;
  }

  /** Whether any text or tool call has arrived. */
  get hasAnswer(): boolean {
    return this.#newText !== '' || this.#text.length > 0 || this.#toolCalls.size > 0;
  }

  /** The text received so far. */
  get text(): string {
    return this.#text.join('') + this.#newText;
  }

  /** Adds one event of a stream. Throws when it reports an error or is not JSON. */
  addEvent(data: string, name: string | undefined): void {
    const text = name === undefined ? this.#template.match(data) : undefined;
    if (text !== undefined) {
      this.#addDelta(this.#template.kind, text);
      return;
    }
    const chunk = unwrapErrorList(parseJson(data));
    if (name === 'error') throw this.#createEventError(isObject(chunk) ? chunk : { error: data });
    if (!isObject(chunk)) {
      throw new MalformedAnswerError(
        'The upstream sent an event that is not JSON.',
        this.#describeError('bad_json'),
      );
    }
    this.addChunk(chunk);
    const delta = parseTextDelta(chunk);
    if (delta !== undefined) this.#template.learn(data, delta, parseTextDelta);
  }

  /** Adds a whole body. Some servers report an error with status 200, and in their own form. */
  addBody(body: JsonObject): void {
    if (!Array.isArray(body['choices']) && parseErrorJson(body).message !== undefined)
      throw this.#createEventError(body);
    this.addChunk(body, true);
  }

  /** Adds a parsed chunk. Throws when it reports an error, whatever else it holds. `isWhole`: it is a whole response. */
  addChunk(chunk: JsonObject, isWhole = false): void {
    const hasError = chunk['error'] !== undefined && chunk['error'] !== null && chunk['error'] !== '';
    if (hasError || chunk['object'] === 'error') throw this.#createEventError(chunk);
    this.#id ??= asNonEmptyString(chunk['id']);
    this.#model = asNonEmptyString(chunk['model']) ?? this.#model;
    this.#weightVersion =
      asNonEmptyString(asObject(chunk['metadata'])?.['weight_version']) ?? this.#weightVersion;
    this.#usage = findUsage(chunk) ?? this.#usage;
    for (const choice of asArray(chunk['choices'])) {
      if (!isObject(choice)) continue;
      const index = asNumber(choice['index']) ?? 0;
      if (index === 0) this.#addChoice(choice, isWhole);
      else this.#addAlternative(index, choice);
    }
  }

  /**
   * Ends the text, before the last `takeDelta`: what was held back follows. If the end tag of the reasoning is missing although the answer
   * is complete, all of it is its text. Without an end tag, the next answer is not expected to start in reasoning.
   */
  endText(endMarked: boolean): void {
    const { isOpen } = this.#thinkTags;
    const hasNoTag = this.hasEndTagOnly;
    this.hasEndTagOnly &&= !isOpen;
    this.#addText(this.#thinkTags.end());
    this.#thinkTags = new ThinkTags();
    const isComplete = this.#finishReason === undefined ? endMarked : !isIncompleteReason(this.#finishReason);
    if (!isOpen || !isComplete || this.#toolCalls.size > 0) return;
    this.#newText = joinUnended(this.#reasoning.splice(0).join('') + this.#newReasoning, hasNoTag);
    this.#newReasoning = '';
  }

  /** Returns the text and reasoning received since the last call. */
  takeDelta(): { readonly text: string; readonly reasoning: string } {
    const delta = { text: this.#newText, reasoning: this.#newReasoning };
    if (delta.text !== '') this.#text.push(delta.text);
    if (delta.reasoning !== '') this.#reasoning.push(delta.reasoning);
    this.#newText = '';
    this.#newReasoning = '';
    return delta;
  }

  /**
   * Returns the whole completion. `endMarked` says that the server marked the end (`[DONE]`, or a complete JSON body).
   * Throws StreamCutError without any end marker or finish reason, MalformedAnswerError when the answer is empty.
   */
  build(endMarked: boolean, streamed: boolean): Completion {
    const { key: _, omitted, requestId, model } = this.#context;
    if (this.#finishReason === undefined && !(endMarked && this.hasContent))
      throw this.#createIncompleteError(endMarked);
    this.endText(endMarked);
    this.takeDelta();
    const alternatives = this.#completeAlternatives();
    this.#moveReasoning();
    const reasoning = this.#reasoning.join('');
    const details = this.#details.length > 0 ? this.#details : undefined;
    return {
      text: this.#text.join(''),
      reasoning,
      finish: this.#finishReason ?? 'unknown',
      ...(alternatives.length > 0 && { alternatives }),
      toolCalls: this.#toolCalls.list(isIncompleteReason(this.#finishReason)),
      ...(this.#toolCalls.size > 0 && { origin: { model, reasoning, details } }),
      usage: this.#usage,
      id: this.#id,
      requestId,
      model: this.#model ?? model,
      ...(this.#model !== undefined && this.#model !== model && { requestedModel: model }),
      weightVersion: this.#weightVersion,
      matchedStop: this.#matchedStop,
      logprobs: this.#logprobs.length > 0 ? this.#logprobs : undefined,
      omitted,
      streamed,
    };
  }

  /** Finds reasoning that was taken for text, because it has an end tag only. */
  #moveReasoning(): void {
    const divided = this.#reasoning.length > 0 ? undefined : splitAtEndTag(this.#text.join(''));
    if (divided === undefined) return;
    this.hasEndTagOnly = true;
    this.#reasoning.push(divided.reasoning);
    this.#text.splice(0, this.#text.length, divided.text);
  }

  #addChoice(choice: JsonObject, isWhole: boolean): void {
    const message = this.#readMessage(choice, 0);
    this.#addDelta('reasoning', joinReasoning(message));
    this.#addDelta('text', joinMessageText(message));
    this.#grow(addReasoningDetails(this.#details, message['reasoning_details']));
    for (const fragment of asArray(message['tool_calls'])) this.#grow(this.#toolCalls.add(fragment, isWhole));
    for (const entry of parseLogprobs(choice['logprobs'])) this.#logprobs.push(entry);
    const matchedStop = choice['matched_stop'];
    if (typeof matchedStop === 'number' || typeof matchedStop === 'string') this.#matchedStop = matchedStop;
    const finishReason = asNonEmptyString(choice['finish_reason']);
    this.#finishReason = toFinishReason(finishReason) ?? this.#finishReason;
    if (isFailedReason(finishReason)) {
      throw new ServerError(
        'The upstream ended the answer with an error.',
        this.#describeError('finish_error'),
      );
    }
  }

  /** Returns what a choice adds. After its deltas, some servers (MiniMax) send the whole message once more. */
  #readMessage(choice: JsonObject, index: number): JsonObject {
    const delta = asObject(choice['delta']);
    if (delta === undefined) return (!this.#withDeltas.has(index) && asObject(choice['message'])) || {};
    if (joinMessageText(delta) !== '' || asArray(delta['tool_calls']).length > 0) this.#withDeltas.add(index);
    return delta;
  }

  /** Adds to a further answer. Only its text counts: one that calls tools is not an answer. */
  #addAlternative(index: number, choice: JsonObject): void {
    const message = this.#readMessage(choice, index);
    const before = this.#alternatives.get(index) ?? { text: '', isComplete: false };
    const added = joinMessageText(message);
    this.#grow(added.length);
    const isComplete =
      before.isComplete || toFinishReason(asNonEmptyString(choice['finish_reason'])) === 'stop';
    this.#alternatives.set(index, { text: before.text + added, isComplete });
  }

  #completeAlternatives(): string[] {
    return [...this.#alternatives]
      .filter(([, { isComplete }]) => isComplete)
      .toSorted(([a], [b]) => a - b)
      .map(([, { text }]) => removeReasoning(text))
      .filter((text) => text !== '');
  }

  #addDelta(kind: TextDelta['kind'], text: string): void {
    if (text === '') return;
    this.#grow(text.length);
    if (kind === 'text') {
      this.#addText(this.#thinkTags.add(text));
      return;
    }
    // The server has a parser: what it calls text is text.
    if (this.hasEndTagOnly) this.#thinkTags = new ThinkTags();
    this.hasEndTagOnly = false;
    this.#newReasoning += text;
  }

  #addText({ reasoning, text }: DividedText): void {
    this.#newReasoning += reasoning;
    this.#newText += text;
  }

  #grow(length: number): void {
    this.#size += length;
    if (this.#size > MAX_ANSWER_CHARS) {
      throw new TooLargeError(
        'The answer exceeds the maximum length.',
        this.#describeError('answer_too_large'),
      );
    }
  }

  #createIncompleteError(endMarked: boolean): Error {
    if (endMarked) {
      return new MalformedAnswerError('The upstream sent no answer.', this.#describeError('empty_answer'));
    }
    return new StreamCutError(
      'The answer ended before it was complete.',
      this.#describeError('no_finish_reason'),
    );
  }

  #createEventError(chunk: JsonObject): Error {
    return createStreamError(chunk, this.#context.key, this.#context.requestId ?? this.#id);
  }

  #describeError(code: string): { code: string; requestId: string | undefined } {
    return { code, requestId: this.#context.requestId ?? this.#id };
  }
}
