import type { JsonObject } from '../json.ts';
import type { Model } from '../models.ts';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'video' | 'audio'; readonly url: string };

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A message of either shape. `text` is all of its text parts. */
export type ChatMessage = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly parts: readonly Part[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallId?: string | undefined;
};

export type Tool = { readonly name: string; readonly description: string; readonly parameters: JsonObject };

export type Format =
  | { readonly kind: 'text' | 'json_object' }
  | { readonly kind: 'json_schema'; readonly name: string; readonly schema: JsonObject };

/** A request of either shape, checked. */
export type ChatRequest = {
  readonly shape: 'current' | 'legacy';
  readonly model: Model;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  readonly promptTokens: number;
  /**
   * The maximum number of generated tokens: as requested, limited by the model's output and the rest of the context.
   */
  readonly maxTokens: number;
  /** The context limits the answer, not `max_tokens`. */
  readonly contextBound: boolean;
  readonly temperature: number | undefined;
  readonly seed: number | undefined;
  /** The other values that decide what is sampled, with their documented defaults. The current shape documents none. */
  readonly sampling: readonly number[];
  readonly stop: readonly string[];
  readonly tools: readonly Tool[];
  readonly toolChoice: 'auto' | 'none' | 'required';
  readonly forcedTool: string | undefined;
  readonly format: Format;
  readonly logprobs: boolean;
  readonly topLogprobs: number;
  readonly effort: string | undefined;
  /** `n`: how many answers. */
  readonly choices: number;
};

/** How strictly requests are parsed. With each option off, exactly as documented. */
export type Leniency = {
  /** `tool_choice: {type: 'function', function: {name}}`. */
  readonly toolChoiceObject: boolean;
  /** `json_object` on the vendor's models too. */
  readonly jsonObjectEverywhere: boolean;
  /** An explicit null equals a missing field. */
  readonly nullIsAbsent: boolean;
  /** Role `developer` is read as `system`. */
  readonly developerRole: boolean;
  /** A tool message may refer to a call that is not in the history. */
  readonly unmatchedToolAnswer: boolean;
  /** `max_completion_tokens` counts as `max_tokens`. */
  readonly maxCompletionTokens: boolean;
  /**
   * What a request with `n` gets: `generate` so many answers, as in the public format; `ignore` it, since the document does not
   * list it (CHAT-076); or `reject` it with 400, as servers do that know their own parameters only.
   */
  readonly choices: 'generate' | 'ignore' | 'reject';
  /**
   * What has to come back with the calls of the assistant, beside what is documented: `nothing`; `extra_content` of each call, as at Gemini;
   * or `reasoning_content` of a reasoning model, as at DeepSeek and Kimi.
   */
  readonly sentBack: 'nothing' | 'extra_content' | 'reasoning_content';
};

export const STRICT: Leniency = {
  toolChoiceObject: false,
  jsonObjectEverywhere: false,
  nullIsAbsent: false,
  developerRole: false,
  unmatchedToolAnswer: false,
  maxCompletionTokens: false,
  choices: 'ignore',
  sentBack: 'nothing',
};

export const COMPAT: Leniency = {
  toolChoiceObject: true,
  // No client of the field needs it, and it would hide requests that the service rejects.
  jsonObjectEverywhere: false,
  nullIsAbsent: true,
  developerRole: true,
  unmatchedToolAnswer: false,
  maxCompletionTokens: true,
  choices: 'generate',
  sentBack: 'nothing',
};
