import { MalformedAnswerError, ServerError, StreamCutError, TooLargeError } from '../errors.ts';
import { errorOfEvent } from '../http/error-of.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, parseJson, stringOf } from '../http/json.ts';
import { logprobsOf } from './logprobs.ts';
import { type Piece, Template } from './template.ts';
import { ToolCalls } from './tool-calls.ts';
import type { Completion, TokenLogprob, Usage } from './types.ts';
import { usageOf } from './usage.ts';

/** No answer of a model comes near; a server that never stops does. */
const MAX_ANSWER_CHARS = 32 * 1024 * 1024;

/** What is known before the answer begins. */
export type DraftFacts = {
  /** Taken out of error messages. */
  readonly key: string;
  readonly requestId: string | undefined;
  /** The model asked for, should the answer not name its own. */
  readonly model: string;
  readonly omitted: readonly string[];
};

/**
 * An answer in the making: takes chunks of a stream (or one whole body) of either shape and keeps what they add up to.
 * Pure: no clock, no network.
 */
export class Draft {
  readonly #facts: DraftFacts;
  readonly #template = new Template();
  readonly #calls = new ToolCalls();
  readonly #logprobs: TokenLogprob[] = [];
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  #newText = '';
  #newReasoning = '';
  #size = 0;
  #finish: string | undefined;
  #usage: Usage | undefined;
  #id: string | undefined;
  #model: string | undefined;
  #weightVersion: string | undefined;
  #matchedStop: number | string | undefined;

  constructor(facts: DraftFacts) {
    this.#facts = facts;
  }

  get finish(): string | undefined {
    return this.#finish;
  }

  /** Whether some of the answer itself has come: text, reasoning or a call. */
  get begun(): boolean {
    return this.#size > 0 || this.#calls.size > 0;
  }

  /** The text as far as it has come. */
  get text(): string {
    return this.#text.join('') + this.#newText;
  }

  /** One event of a stream. Throws when it reports an error or is not JSON. */
  addEvent(data: string, name: string | undefined): void {
    const known = name === undefined ? this.#template.match(data) : undefined;
    if (known !== undefined) {
      this.#addPiece(this.#template.kind, known);
      return;
    }
    const chunk = parseJson(data);
    if (name === 'error') throw this.#failure(isObject(chunk) ? chunk : { error: data });
    if (!isObject(chunk)) {
      throw new MalformedAnswerError(
        'The upstream sent an event that is not JSON.',
        this.#errorFacts('bad_json'),
      );
    }
    this.add(chunk);
    const piece = pieceOf(chunk);
    if (piece !== undefined) this.#template.learn(data, piece, pieceOf);
  }

  /** A parsed chunk, or a whole answer. Throws when it reports an error, which wins over all else in it. */
  add(chunk: JsonObject): void {
    const failed = chunk['error'] !== undefined && chunk['error'] !== null && chunk['error'] !== '';
    if (failed || chunk['object'] === 'error') throw this.#failure(chunk);
    this.#id ??= stringOf(chunk['id']);
    this.#model = stringOf(chunk['model']) ?? this.#model;
    this.#weightVersion = stringOf(objectOf(chunk['metadata'])?.['weight_version']) ?? this.#weightVersion;
    this.#usage = usageOf(chunk['usage']) ?? this.#usage;
    for (const choice of listOf(chunk['choices'])) {
      if (isObject(choice) && (numberOf(choice['index']) ?? 0) === 0) this.#addChoice(choice);
    }
  }

  /** What has come since it was last taken. */
  take(): { readonly text: string; readonly reasoning: string } {
    const taken = { text: this.#newText, reasoning: this.#newReasoning };
    if (taken.text !== '') this.#text.push(taken.text);
    if (taken.reasoning !== '') this.#reasoning.push(taken.reasoning);
    this.#newText = '';
    this.#newReasoning = '';
    return taken;
  }

  /**
   * The whole answer. `marked` says that the server marked the end (`[DONE]`, or a complete JSON body). Throws
   * StreamCutError when nothing says that this is the end, MalformedAnswerError when it is the end of nothing.
   */
  end(marked: boolean, streamed: boolean): Completion {
    const { key: _, omitted, requestId, model } = this.#facts;
    if (this.#finish === undefined && !(marked && this.begun)) throw this.#endless(marked);
    this.take();
    return {
      text: this.#text.join(''),
      reasoning: this.#reasoning.join(''),
      finish: this.#finish ?? 'unknown',
      toolCalls: this.#calls.list(),
      usage: this.#usage,
      id: this.#id,
      requestId,
      model: this.#model ?? model,
      weightVersion: this.#weightVersion,
      matchedStop: this.#matchedStop,
      logprobs: this.#logprobs.length > 0 ? this.#logprobs : undefined,
      omitted,
      streamed,
    };
  }

  #addChoice(choice: JsonObject): void {
    const message = objectOf(choice['delta']) ?? objectOf(choice['message']) ?? {};
    const piece = (text: string, kind: Piece['kind']): void =>
      text === '' ? undefined : this.#addPiece(kind, text);
    // Some servers send the trace under both names; it is one trace.
    piece(stringOf(message['reasoning_content']) ?? stringOf(message['reasoning']) ?? '', 'reasoning');
    piece(textOf(message['content']), 'text');
    for (const fragment of listOf(message['tool_calls'])) this.#calls.add(fragment);
    for (const entry of logprobsOf(choice['logprobs'])) this.#logprobs.push(entry);
    const matched = choice['matched_stop'];
    if (typeof matched === 'number' || typeof matched === 'string') this.#matchedStop = matched;
    this.#finish = stringOf(choice['finish_reason']) ?? this.#finish;
    if (this.#finish === 'error') {
      throw new ServerError('The upstream broke the answer off.', this.#errorFacts('finish_error'));
    }
  }

  #addPiece(kind: Piece['kind'], text: string): void {
    this.#size += text.length;
    if (this.#size > MAX_ANSWER_CHARS) {
      throw new TooLargeError('The answer does not come to an end.', this.#errorFacts('answer_too_large'));
    }
    if (kind === 'text') this.#newText += text;
    else this.#newReasoning += text;
  }

  #endless(marked: boolean): Error {
    if (marked) {
      return new MalformedAnswerError('The upstream sent no answer.', this.#errorFacts('empty_answer'));
    }
    return new StreamCutError('The answer broke off before its end.', this.#errorFacts('no_finish_reason'));
  }

  #failure(chunk: JsonObject): Error {
    return errorOfEvent(chunk, this.#facts.key, this.#facts.requestId ?? this.#id);
  }

  #errorFacts(code: string): { code: string; requestId: string | undefined } {
    return { code, requestId: this.#facts.requestId ?? this.#id };
  }
}

/** Text of a content that is a string, or a list with text parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** The piece of text of a chunk that adds nothing else to the answer. */
function pieceOf(chunk: unknown): Piece | undefined {
  const choices = objectOf(chunk)?.['choices'];
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (!isObject(choice) || stringOf(choice['finish_reason']) !== undefined || isObject(choice['logprobs']))
    return undefined;
  const delta = objectOf(choice['delta']) ?? {};
  if (listOf(delta['tool_calls']).length > 0 || (numberOf(choice['index']) ?? 0) !== 0) return undefined;
  const text = stringOf(delta['content']);
  const reasoning = stringOf(delta['reasoning_content']);
  if (stringOf(delta['reasoning']) !== undefined) return undefined;
  if (text !== undefined) return reasoning === undefined ? { kind: 'text', text } : undefined;
  return reasoning === undefined ? undefined : { kind: 'reasoning', text: reasoning };
}
