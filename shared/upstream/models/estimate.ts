import type { ChatRequest, ContentPart, Message } from '../chat/types.ts';

/** What a message costs beside its words. */
const PER_MESSAGE = 4;
/** Pictures, clips and recordings have no public count; the calibration finds it. */
const PER_MEDIUM = 1_000;
/** A run without blanks longer than this is no word: a link, a hash, base64, or Chinese. */
const LONG_RUN = 20;

/**
 * A rough count of a text's tokens, without a tokenizer (those are too large for a function, and made for the words of
 * other models). Measured at 0.94 to 1.98 of the real count for prose in ten languages.
 */
export function estimateText(text: string): number {
  let weight = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    if (code > 32) continue;
    weight += runWeight(text, start, at);
    start = at;
  }
  return Math.ceil(weight);
}

/** Long runs of ASCII pack badly into tokens: 3 bytes each. */
function runWeight(text: string, start: number, end: number): number {
  let weight = 0;
  let ascii = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) ascii += 1;
    else if (code < 0x800) weight += 0.5;
    else weight += code >= 0xd800 && code < 0xe000 ? 1.1 : 1;
  }
  return weight + ascii / (ascii > LONG_RUN ? 3 : 3.6);
}

/** A rough count of a request's prompt tokens, tools and schema included. */
export function estimateRequest(request: Pick<ChatRequest, 'messages' | 'tools' | 'responseFormat'>): number {
  let total = 0;
  for (const message of request.messages) total += PER_MESSAGE + messageTokens(message);
  if (request.tools !== undefined && request.tools.length > 0)
    total += JSON.stringify(request.tools).length / 3;
  if (request.responseFormat?.type === 'json_schema')
    total += JSON.stringify(request.responseFormat.schema).length / 3;
  return Math.ceil(total);
}

function messageTokens(message: Message): number {
  const { content } = message;
  let total = 0;
  if (typeof content === 'string') total += estimateText(content);
  else for (const part of content ?? []) total += partTokens(part);
  if (message.role === 'assistant') {
    for (const call of message.toolCalls ?? [])
      total += estimateText(call.name) + call.arguments.length / 3 + PER_MESSAGE;
  }
  return total;
}

function partTokens(part: ContentPart): number {
  return part.type === 'text' ? estimateText(part.text) : PER_MEDIUM;
}

/** How far estimates may be corrected: beyond that it is the count that is odd, not the estimate. */
const FACTOR = { least: 0.25, most: 4 };
const WEIGHT_OF_NEW = 0.2;

/** Learns, per model, by how much the estimate is off: a moving average of what was counted over what was estimated. */
export class Calibration {
  readonly #factors = new Map<string, number>();

  /** What to multiply an estimate for the model by. */
  factor(model: string): number {
    return this.#factors.get(model) ?? 1;
  }

  /** After a call: `estimate` as made without the factor, and the prompt tokens that the upstream counted. */
  learn(model: string, estimate: number, counted: number): void {
    if (estimate <= 0 || counted <= 0) return;
    const seen = Math.min(FACTOR.most, Math.max(FACTOR.least, counted / estimate));
    const known = this.#factors.get(model);
    this.#factors.set(model, known === undefined ? seen : known + WEIGHT_OF_NEW * (seen - known));
  }
}
