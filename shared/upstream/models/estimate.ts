import type { ChatRequest, ContentPart, Message } from '../chat-types.ts';

/** Tokens of a message besides its content. */
const TOKENS_PER_MESSAGE = 4;
/** Images, videos and audio have no public token count; the calibration corrects this. */
const TOKENS_PER_MEDIA = 1_000;
/** A run of characters without spaces longer than this is not a word: a link, a hash, base64, or Chinese. */
const MAX_WORD_CHARS = 20;

/**
 * Estimates the tokens of a text without a tokenizer (tokenizers are too large for a Lambda function and differ by model).
 * Measured at 0.94 to 1.98 of the real count for prose in ten languages.
 */
export function estimateText(text: string): number {
  let tokens = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 32;
    if (code > 32) continue;
    tokens += estimateRun(text, start, index);
    start = index;
  }
  return Math.ceil(tokens);
}

/** Long ASCII runs have about 3 bytes per token, words about 3.6. */
function estimateRun(text: string, start: number, end: number): number {
  let tokens = 0;
  let asciiCount = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) asciiCount += 1;
    else if (code < 0x800) tokens += 0.5;
    else tokens += code >= 0xd800 && code < 0xe000 ? 1.1 : 1;
  }
  return tokens + asciiCount / (asciiCount > MAX_WORD_CHARS ? 3 : 3.6);
}

/** Estimates the prompt tokens of a request, with tools and schema. */
export function estimateRequest(request: Pick<ChatRequest, 'messages' | 'tools' | 'responseFormat'>): number {
  let total = 0;
  for (const message of request.messages) total += TOKENS_PER_MESSAGE + estimateMessage(message);
  if (request.tools !== undefined && request.tools.length > 0)
    total += JSON.stringify(request.tools).length / 3;
  if (request.responseFormat?.type === 'json_schema')
    total += JSON.stringify(request.responseFormat.schema).length / 3;
  return Math.ceil(total);
}

function estimateMessage(message: Message): number {
  const { content } = message;
  let total = 0;
  if (typeof content === 'string') total += estimateText(content);
  else for (const part of content ?? []) total += estimatePart(part);
  if (message.role === 'assistant') {
    for (const call of message.toolCalls ?? [])
      total += estimateText(call.name) + call.arguments.length / 3 + TOKENS_PER_MESSAGE;
  }
  return total;
}

function estimatePart(part: ContentPart): number {
  return part.type === 'text' ? estimateText(part.text) : TOKENS_PER_MEDIA;
}

/** Bounds of the correction. A count beyond them is unusual; the estimate is not wrong. */
const FACTOR_BOUNDS = { min: 0.25, max: 4 };
const LEARNING_RATE = 0.2;

/** Learns a correction factor per model: a moving average of counted tokens divided by estimated tokens. */
export class Calibration {
  readonly #factors = new Map<string, number>();

  /** Returns the factor for estimates of the model. */
  factor(model: string): number {
    return this.#factors.get(model) ?? 1;
  }

  /** Records a request: `estimate` without the factor, and the prompt tokens that the upstream counted. */
  learn(model: string, estimate: number, counted: number): void {
    if (estimate <= 0 || counted <= 0) return;
    const newFactor = Math.min(FACTOR_BOUNDS.max, Math.max(FACTOR_BOUNDS.min, counted / estimate));
    const oldFactor = this.#factors.get(model);
    this.#factors.set(
      model,
      oldFactor === undefined ? newFactor : oldFactor + LEARNING_RATE * (newFactor - oldFactor),
    );
  }
}
