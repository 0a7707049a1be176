import type { CallOptions } from './config.ts';
import type { Model } from './models/model.ts';

/** A part of a message's content. Media parts need a model whose `input_modalities` list them. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** A URL or a data URI. */
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'video'; readonly url: string }
  | { readonly type: 'audio'; readonly url: string }
  /** Audio as base64, for servers that require it. */
  | { readonly type: 'input-audio'; readonly base64: string; readonly format: string };

/** A tool call by the model. `arguments` should hold JSON and is stored unchanged. */
export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Fields of the server beside these, such as `extra_content`, where Gemini signs its thought. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
};

/** What came with a message that calls tools, and may have to go back to the same model with the results. */
export type CallsOrigin = {
  /** The model that was requested. */
  readonly model: string;
  readonly reasoning: string;
  /** `reasoning_details`, as OpenRouter sends them: some models have signed them. */
  readonly details?: readonly unknown[] | undefined;
};

/**
 * A message of the conversation. What a model sent beside its text and calls goes back only with a message that calls tools, and only to that
 * model: its `extra` and `details` always, its reasoning only if the server demands it.
 */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly toolCalls?: readonly ToolCall[] | undefined;
      /** That of the completion. */
      readonly origin?: CallsOrigin | undefined;
    }
  /** The result of a tool; every tool call in the history needs one. */
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

/** A JSON schema object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type Tool = {
  readonly name: string;
  readonly description?: string | undefined;
  /** Schema of the arguments. Default: an object without properties. */
  readonly parameters?: JsonSchema | undefined;
};

export type ResponseFormat =
  | { readonly type: 'text' }
  /** Not supported by the vendor's own models. */
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: JsonSchema;
      readonly strict?: boolean | undefined;
    };

/** A chat request for either API shape. Fields that the shape or the model lacks are left out and listed in `omitted`. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Includes reasoning tokens. Default: the configured `maxTokens`. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  /** -2 to 2, like `presencePenalty`. */
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
  /** 0 to 20; requires `logprobs`. */
  readonly topLogprobs?: number | undefined;
  readonly seed?: number | undefined;
  /** How many answers to generate. Default 1. The extra ones arrive in `alternatives`, if the server supports `n`. */
  readonly n?: number | undefined;
  /** Fields of other servers, sent unchanged. They cannot replace the fields above. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
};

/** Tokens as the upstream counts them. Reasoning is part of the completion tokens, cached part of the prompt tokens. */
export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
};

/** One token of the answer with its log probability; `top` holds the requested alternatives. */
export type TokenLogprob = {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
};

/** A complete answer. */
export type Completion = {
  readonly text: string;
  /** The reasoning trace of the model; not part of the answer. */
  readonly reasoning: string;
  /**
   * `stop`, `length` (cut at `maxTokens`), `tool_calls`, `context` (the context is full), or another word of the server;
   * `unknown` when the server marked the end without a reason.
   */
  readonly finish: string;
  /** Further complete answers, if the request had `n`. Absent if there are none, as from a server that ignores `n`. */
  readonly alternatives?: readonly string[] | undefined;
  /**
   * If not empty, the model called tools. Do not run them if `finish` is `length`, `context` or `content_filter`: the response was
   * cut, and a call in it may lack a part of its arguments (`''` if all), or another call may be missing.
   */
  readonly toolCalls: readonly ToolCall[];
  /** Belongs into the message with the calls. Absent without calls. */
  readonly origin?: CallsOrigin | undefined;
  /** Absent when the server sent no counts: the cost is then unknown, not zero. */
  readonly usage?: Usage | undefined;
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
  /** The model that answered, as the server names it: often a dated snapshot, which its list does not have. */
  readonly model: string;
  /** Set if the request named another model. */
  readonly requestedModel?: string | undefined;
  /** The checkpoint that answered. */
  readonly weightVersion?: string | undefined;
  readonly matchedStop?: number | string | undefined;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
  /** Request fields that were left out because the model or the API shape lacks them. */
  readonly omitted: readonly string[];
  /** False when a stream was requested and the server sent one JSON body. */
  readonly streamed: boolean;
};

export type ChatEvent =
  /** At most one of each kind per network chunk. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Always the last event. A stream without it throws. */
  | ({ readonly type: 'end' } & Completion);

export type ChatOptions = CallOptions & {
  /** Models to try in this order when one is at capacity. */
  readonly standIns?: readonly string[] | undefined;
  /**
   * Looks up a model in a list that the caller keeps, undefined if nothing is known of it. The request is then fitted to
   * its model as with `fitToModel`. Must not reject.
   */
  readonly lookUpModel?: ((id: string) => Promise<Model | undefined>) | undefined;
};
