import type { CallOptions } from '../config.ts';

/** A piece of a message's content. Media go only to models whose `input_modalities` name them. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** A web address or a data URI. */
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'video'; readonly url: string }
  | { readonly type: 'audio'; readonly url: string }
  /** Audio as base64, for servers that take it so. */
  | { readonly type: 'input-audio'; readonly base64: string; readonly format: string };

/** The model's wish to call a tool. `arguments` is text that should hold JSON, and is kept byte for byte. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A message of the conversation. Reasoning is never sent back. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly toolCalls?: readonly ToolCall[] | undefined;
    }
  /** The answer of a tool; every call of the history needs one. */
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/** A JSON schema, as an object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type Tool = {
  readonly name: string;
  readonly description?: string | undefined;
  /** Schema of the arguments; an empty object's when absent. */
  readonly parameters?: JsonSchema | undefined;
};

export type ResponseFormat =
  | { readonly type: 'text' }
  /** Not on the vendor's own models. */
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: JsonSchema;
      readonly strict?: boolean | undefined;
    };

/** A chat request, in either shape. Fields that the shape or the model lacks are left out and reported in the answer. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Reasoning included. The configured default when absent. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  /** -2 to 2, as the next. */
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  /** Token id to bias, -100 to 100. */
  readonly logitBias?: Readonly<Record<string, number>> | undefined;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  readonly stop?: string | readonly string[] | undefined;
  readonly tools?: readonly Tool[] | undefined;
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly logprobs?: boolean | undefined;
  /** 0 to 20; needs `logprobs`. */
  readonly topLogprobs?: number | undefined;
  readonly seed?: number | undefined;
  /** Fields of other servers, sent as they are. They cannot replace those above. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
};

/** Tokens as the upstream counted them. Reasoning tokens lie within the completion tokens, cached within the prompt's. */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
};

/** One token of the answer and how likely it was; `top` holds the alternatives asked for. */
export type TokenLogprob = {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
};

/** A whole answer. */
export type Completion = {
  readonly text: string;
  /** Not for the reader: the trace of a reasoning model. */
  readonly reasoning: string;
  /**
   * `stop`, `length` (cut at `maxTokens`: not the whole answer), `tool_calls`, `context` (the context is full), or what
   * else the server says; `unknown` when it marked the end without a reason.
   */
  readonly finish: string;
  /** When there are any, this is a tool turn, whatever `finish` says. */
  readonly toolCalls: readonly ToolCall[];
  /** Absent when the server counted nothing: the cost is then unknown, not zero. */
  readonly usage?: Usage | undefined;
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
  /** The model that served, as the server names it. */
  readonly model: string;
  /** The checkpoint that served. */
  readonly weightVersion?: string | undefined;
  readonly matchedStop?: number | string | undefined;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Fields of the request that were left out because the model or the shape lacks them. */
  readonly omitted: readonly string[];
  /** False when a stream was asked for and one JSON body came. */
  readonly streamed: boolean;
};

export type ChatEvent =
  /** At most one of each kind for each piece that the network delivers. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Always the last; a stream that cannot give it throws. */
  | ({ readonly type: 'end' } & Completion);

export type ChatOptions = CallOptions & {
  /** Tried one after the other when a model is at capacity. */
  readonly fallbackModels?: readonly string[] | undefined;
};
