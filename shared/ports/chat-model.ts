import type { CallsOrigin, MaskedCounts, PromptMessage, ToolCall, Usage } from '../domain/index.ts';
import type { SettingsLayers } from '../settings/rules/index.ts';
import type { Breakers, KeyRateLimiter, RequestPermit } from '../storage/index.ts';
import type { AttemptOutcome, JsonSchema, RateLimitInfo, Tool } from '../upstream/index.ts';

/** The language model. */
export interface Chat {
  /**
   * Streams one completion. Awaits `beforeAttempt` before every request, retries included. Throws the upstream's errors; never
   * ends without an `end` event.
   */
  stream(prompt: readonly PromptMessage[], options: ChatOptions): AsyncIterable<CompletionEvent>;
  /** Suggests follow-up questions. Throws the upstream's errors. */
  suggestQuestions(prompt: readonly PromptMessage[], options: SuggestOptions): Promise<readonly string[]>;
  /** The default model; undefined if the upstream chooses. */
  readonly model: string | undefined;
  /** Facts about a model; of the default model if none is named. Never rejects. */
  modelFacts(model?: string): Promise<ModelFacts>;
  /** The models to choose from; empty if unknown. Never rejects. */
  listModels(): Promise<readonly ListedModel[]>;
}

/** Limit of an answer with follow-up questions, in tokens. */
export const SUGGEST_TOKENS = 200;

export type SuggestOptions = ChatOptions & {
  readonly model: string;
  /** Called with each response of the model, also if a later request fails: each of them costs. */
  readonly onCompletion?:
    | ((completion: { readonly text: string; readonly usage?: Usage | undefined }) => void)
    | undefined;
};

/** What the upstream reports about a model; undefined is unknown. */
export type ModelFacts = {
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  readonly audio?: boolean | undefined;
  readonly video?: boolean | undefined;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** False only when the upstream says that the model is not ready. */
  readonly ready?: boolean | undefined;
  /** Models of the same upstream that accept images. */
  readonly modelsWithImages: readonly string[];
};

/** A model in the list that people choose from. */
export type ListedModel = {
  readonly id: string;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** Input modalities: `text`, `image` ... */
  readonly inputModalities: readonly string[];
  /** Capabilities: `tools`, `reasoning` ... */
  readonly capabilities: readonly string[];
  readonly ready: boolean;
  /** Set if the upstream announces that the model will be switched off: when (ms since 1970), and the recommended model. */
  readonly retirement?: { readonly at: number; readonly replacement?: string | undefined } | undefined;
  /** Price of 1,000 such turns in dollars; undefined is unknown. */
  readonly pricePerThousand: (usage: Usage) => number | undefined;
};

export type ChatOptions = {
  readonly signal: AbortSignal;
  /** Deadline of the whole request (ms since 1970). */
  readonly deadline: number;
  readonly beforeAttempt: (attempt?: number, signal?: AbortSignal, model?: string) => Promise<void>;
  /** Who waits after a 429. `caller`: `beforeAttempt` does, any number of times. */
  readonly waitsForLimits?: 'client' | 'caller' | undefined;
  /** Called with the outcome of each attempt. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** The permit that `beforeAttempt` took last: it names the API key. */
  readonly permit?: (() => RequestPermit | undefined) | undefined;
  /** Called with the rate-limit headers of each response. */
  readonly onRateLimit?: ((seen: RateLimitInfo) => void) | undefined;
  /** Stand-in models, tried in this order while the model is at capacity. */
  readonly standIns?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** `none`: the model answers without calling a tool. */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** Limit of the answer in tokens, reasoning included. Required, because budgets reserve it. */
  readonly maxTokens: number;
  readonly sampling?: Sampling | undefined;
  /** How many versions of the answer to request. Default 1. */
  readonly versions?: number | undefined;
  /** Called with how much private data was masked in the prompt, if any was. */
  readonly onMasked?: ((counts: MaskedCounts) => void) | undefined;
  /** Asks for JSON of this schema. `readAs` validates it. */
  readonly format?: { readonly name: string; readonly schema: JsonSchema } | undefined;
};

export type CompletionEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'end';
      readonly text: string;
      readonly finish: string;
      /** As the server names it. */
      readonly model: string;
      /** Set if the request named another model. */
      readonly requestedModel?: string | undefined;
      /** Tool calls that the model waits for. */
      readonly toolCalls?: readonly ToolCall[] | undefined;
      /** Belongs into the message with the calls. */
      readonly origin?: CallsOrigin | undefined;
      readonly usage?: Usage | undefined;
      readonly requestId?: string | undefined;
      readonly weightVersion?: string | undefined;
      /** Further complete versions of the answer. Absent if there are none. */
      readonly alternatives?: readonly string[] | undefined;
      /** Of the tokens of the answer, if they were requested. */
      readonly logprobs?: readonly { readonly logprob: number }[] | undefined;
      /** Request fields, as on the wire, that were left out because the model does not support them. */
      readonly omitted?: readonly string[] | undefined;
    };

const INCOMPLETE_REASONS: ReadonlySet<string> = new Set(['length', 'context', 'content_filter']);

/** Whether a limit or a filter cut a completion: a tool call in it may lack a part of its arguments, or all, and must not run. The same reasons as in the upstream, which imports no other module. */
export const isIncomplete = ({
  finish,
}: Pick<Extract<CompletionEvent, { type: 'end' }>, 'finish'>): boolean => INCOMPLETE_REASONS.has(finish);

/** The right to send requests to the upstream, counted in the token table. */
export type RequestPermits = Pick<
  KeyRateLimiter,
  'take' | 'takeFree' | 'find' | 'leaveById' | 'poll' | 'leave' | 'release' | 'report'
>;

/** Of a process that sends no requests, and so keeps no position in the wait queue of a key. */
export const noWaitQueue: Pick<RequestPermits, 'leaveById'> = { leaveById: () => Promise.resolve() };

/** Tells which models are at capacity. */
export type ModelBreakers = Pick<
  Breakers,
  'waitMs' | 'enter' | 'recordFailure' | 'recordSuccess' | 'recordNoResult'
>;

/** Takes every model for available. */
export const noBreakers: ModelBreakers = {
  waitMs: () => Promise.resolve(0),
  enter: () => Promise.resolve(0),
  recordFailure: () => Promise.resolve(),
  recordSuccess: () => Promise.resolve(),
  recordNoResult: () => Promise.resolve(),
};

/** Sampling parameters; a model may ignore some. */
export type Sampling = {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  readonly seed?: number | undefined;
  /** The answer ends before the first of these. */
  readonly stop?: readonly string[] | undefined;
  /** Token id to bias, -100 to 100. */
  readonly logitBias?: Readonly<Record<string, number>> | undefined;
  /** Requests the log probabilities of the answer's tokens. */
  readonly logprobs?: boolean | undefined;
};

/** Parameters of requests to the speech model. */
export type SpeechSampling = {
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
};

export type Settings = {
  readonly systemPrompt: string;
  /** How much of the history of a thread goes into a prompt. */
  readonly window: { readonly bytes: number; readonly tokens: number };
  /** How many characters of messages from before the bot was first mentioned in a thread. */
  readonly beforeCharacters: number;
  /** Models that buttons under an answer offer. */
  readonly otherModels: readonly string[];
  /** How much of the reasoning is shown: nothing, that there was some, also its end, or all of it as a file. */
  readonly reasoning: 'off' | 'brief' | 'full' | 'file';
  /** The settings of each level that apply at this place, for `resolve`. */
  readonly layers: SettingsLayers;
  /** Default retention in days; absent if unknown. */
  readonly keptDays?: number | undefined;
  /** The model, if one is set. */
  readonly model?: string | undefined;
  readonly sampling?: Sampling | undefined;
  /** For transcriptions and translations of recordings. */
  readonly speech?: SpeechSampling | undefined;
  /** How many versions of each answer are requested. Default 1. */
  readonly versions?: number | undefined;
  /** Limit of each answer in tokens, reasoning included; see `getMaxAnswerTokens`. */
  readonly maxTokens?: number | undefined;
  /** Stand-in models while the model is at capacity, in this order. */
  readonly standIns: readonly string[];
  /** The model that suggests follow-up questions; without one there are none. */
  readonly followUpModel?: string | undefined;
  /** The slash command in Slack. */
  readonly slackCommand: string;
  /** Time zone (IANA) of the times that people read. */
  readonly zone?: string | undefined;
};

/**
 * Default settings. The bytes of the window, compressed as stored, limit what reading the history costs: 12 KB are 1.5 read units,
 * about ten turns of 2 KB or thirty short ones.
 */
export const DEFAULTS: Settings = {
  systemPrompt: '',
  window: { bytes: 12 * 1024, tokens: 8_000 },
  beforeCharacters: 8_000,
  otherModels: [],
  reasoning: 'brief',
  standIns: [],
  slackCommand: '/parley',
  layers: {},
};
