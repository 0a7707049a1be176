import {
  estimateTokens,
  modalityOf,
  type PromptMessage,
  type PromptPart,
  type Usage,
} from '../domain/index.ts';
import type { Tool } from '../upstream/index.ts';

/** Estimated tokens of an image in a prompt. */
const TOKENS_PER_IMAGE = 1_000;
/** Estimated tokens of a recording or film in a prompt. Models differ widely. */
const TOKENS_PER_RECORDING = 10_000;
const JSON_CHARACTERS_PER_TOKEN = 3;
/** Added to the estimate: for prose in ten languages it was up to 6 % too low. */
const SAFETY_MARGIN = 1.1;

/** What determines the number of prompt tokens. */
type PromptPlan = {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly Tool[] | undefined;
  /** The JSON schema of the answer; it is part of the prompt. */
  readonly format?: { readonly schema: object } | undefined;
};

/** What determines the maximum cost of a request. */
export type RequestPlan = PromptPlan & {
  /** `max_tokens` of the request. */
  readonly maxTokens: number;
  /** The maximum number of requests (default 1); each contains the answers of those before it. */
  readonly requests?: number | undefined;
};

/** Estimates the maximum usage: the prompt with a safety margin, and the longest answer. */
export function estimateMaxUsage({ maxTokens, requests = 1, ...request }: RequestPlan): Usage {
  const promptTokens = estimatePrompt(request);
  const earlierAnswerTokens = (maxTokens * requests * (requests - 1)) / 2;
  return {
    promptTokens: Math.ceil((promptTokens * requests + earlierAnswerTokens) * SAFETY_MARGIN),
    completionTokens: maxTokens * requests,
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

/** Estimates the usage of a request if the server did not report it. `received` is the text of the answer. */
export function estimateUsage(request: PromptPlan, received = ''): Usage {
  return {
    promptTokens: Math.ceil(estimatePrompt(request)),
    completionTokens: received === '' ? 0 : estimateTokens(received),
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

function estimatePrompt({ prompt, tools, format }: PromptPlan): number {
  const schemas = [...(tools && tools.length > 0 ? [tools] : []), ...(format ? [format.schema] : [])];
  return (
    prompt.reduce((sum, message) => sum + estimateMessage(message), 0) +
    schemas.reduce((sum, schema) => sum + JSON.stringify(schema).length / JSON_CHARACTERS_PER_TOKEN, 0)
  );
}

function estimateMessage(message: PromptMessage): number {
  const { content } = message;
  const toolCalls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const toolCallTokens = toolCalls.reduce(
    (sum, call) => sum + estimateTokens(call.name) + call.arguments.length / JSON_CHARACTERS_PER_TOKEN,
    0,
  );
  if (typeof content === 'string') return toolCallTokens + estimateTokens(content);
  return content.reduce((sum, part) => sum + estimatePart(part), toolCallTokens);
}

function estimatePart(part: PromptPart): number {
  if (part.type === 'text') return estimateTokens(part.text);
  return part.type === 'image' ? TOKENS_PER_IMAGE : TOKENS_PER_RECORDING;
}

/** Returns the input modalities that a prompt needs besides text. */
export const mediaModalities = (prompt: readonly PromptMessage[]): ReturnType<typeof modalityOf>[] =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === 'text' ? [] : modalityOf(part))),
  );

/** Counts the images in a prompt. */
export const countImages = (prompt: readonly PromptMessage[]): number =>
  prompt.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length),
    0,
  );
