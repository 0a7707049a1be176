import { estimateTokens, type PromptMessage, type Usage } from '../domain/index.ts';
import type { Tool } from '../upstream/index.ts';

/** What a picture counts as in a prompt, by estimate. */
const PER_PICTURE = 1_000;
/** Of JSON, so many characters are one token. */
const JSON_PER_TOKEN = 3;
/** A tenth more than the estimate is reserved: for prose in ten languages it was too low by 6 % at most. */
const MARGIN = 1.1;

/** What decides how many tokens a prompt has. */
type PromptPlan = {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly Tool[] | undefined;
  /** The form of the answer, which is in the prompt too. */
  readonly format?: { readonly schema: object } | undefined;
};

/** What decides how much a request costs at most. */
export type RequestPlan = PromptPlan & {
  /** `max_tokens` of the request. */
  readonly maxTokens: number;
  /** How many requests it may take; each holds the answers before it. One unless told otherwise. */
  readonly requests?: number | undefined;
};

/** The most that the call can come to: its prompt by estimate, a tenth more, and the longest answer. */
export function maxCostEstimate({ maxTokens, requests = 1, ...request }: RequestPlan): Usage {
  const promptTokens = estimatePrompt(request);
  const answersBefore = (maxTokens * requests * (requests - 1)) / 2;
  return {
    promptTokens: Math.ceil((promptTokens * requests + answersBefore) * MARGIN),
    completionTokens: maxTokens * requests,
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

/** The usage of a request that the server did not report, with the text that was received. */
export function estimateUsage(request: PromptPlan, received = ''): Usage {
  return {
    promptTokens: Math.ceil(estimatePrompt(request)),
    completionTokens: received === '' ? 0 : estimateTokens(received),
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

function estimatePrompt({ prompt, tools, format }: PromptPlan): number {
  const beside = [...(tools && tools.length > 0 ? [tools] : []), ...(format ? [format.schema] : [])];
  return (
    prompt.reduce((sum, message) => sum + tokensOf(message), 0) +
    beside.reduce((sum, part) => sum + JSON.stringify(part).length / JSON_PER_TOKEN, 0)
  );
}

function tokensOf(message: PromptMessage): number {
  const { content } = message;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.reduce(
    (sum, call) => sum + estimateTokens(call.name) + call.arguments.length / JSON_PER_TOKEN,
    0,
  );
  if (typeof content === 'string') return called + estimateTokens(content);
  return content.reduce(
    (sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : PER_PICTURE),
    called,
  );
}

/** How many pictures a prompt holds. */
export const picturesIn = (prompt: readonly PromptMessage[]): number =>
  prompt.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length),
    0,
  );
