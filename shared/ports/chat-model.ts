import type { PromptMessage, ToolCall, Usage } from '../domain/index.ts';
import type { SettingsLayers } from '../settings/rules/index.ts';
import type { Breakers, KeyRateLimiter, RequestPermit } from '../storage/index.ts';
import type { AttemptOutcome, JsonSchema, RateLimitInfo, Tool } from '../upstream/index.ts';

/** What features want of the model behind the bot. */
export interface Chat {
  /**
   * Streams one completion. `beforeAttempt` is awaited before every request that is sent, retries included.
   * Throws the upstream's errors; never ends without an `end` event.
   */
  stream(prompt: readonly PromptMessage[], options: ChatOptions): AsyncIterable<CompletionEvent>;
  /** Makes up questions that may be asked next. Throws the upstream's errors. Absent where that is not to be had. */
  suggest?(
    prompt: readonly PromptMessage[],
    options: ChatOptions & { readonly model: string },
  ): Promise<Suggested>;
  /** The model that is asked unless told otherwise. */
  readonly model?: string | undefined;
  /** What is known of a model, or of that one. Never rejects. Absent where nothing is known of any. */
  about?(model?: string): Promise<ModelFacts>;
  /** The models there are to choose from; empty where nothing is known of any. Never rejects. */
  list?(): Promise<readonly ListedModel[]>;
}

/** The longest answer with questions to ask next, in tokens. */
export const SUGGEST_TOKENS = 200;

/** Questions that may be asked next, and what they cost to make up, as far as the model told. */
export type Suggested = { readonly questions: readonly string[]; readonly usage?: Usage | undefined };

/** What a model takes, as far as the upstream says: undefined is unknown. */
export type ModelFacts = {
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** Models of the same upstream that take pictures. */
  readonly seeing: readonly string[];
};

/** A model of the list, as people choose by. */
export type ListedModel = {
  readonly id: string;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** What it takes in: `text`, `image` ... */
  readonly takes: readonly string[];
  /** What it can beside words: `tools`, `reasoning` ... */
  readonly can: readonly string[];
  readonly ready: boolean;
  /** What a thousand such turns cost, in dollars; undefined is unknown. */
  readonly perThousand: (usage: Usage) => number | undefined;
};

export type ChatOptions = {
  readonly signal: AbortSignal;
  /** No part of the call goes on after this (ms since 1970). */
  readonly deadline: number;
  readonly beforeAttempt: (attempt?: number, signal?: AbortSignal, model?: string) => Promise<void>;
  /** Who waits after a 429: `caller`: `beforeAttempt`, any number of times. */
  readonly waitsForLimits?: 'client' | 'caller' | undefined;
  /** Told how each attempt came out. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** The permit that `beforeAttempt` took last: it says by which key to ask. */
  readonly permit?: (() => RequestPermit | undefined) | undefined;
  /** Told what each answer says of limits. */
  readonly onRateLimit?: ((seen: RateLimitInfo) => void) | undefined;
  /** Asked one after the other while the model is full. */
  readonly standIns?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** `none`: the model is to answer without calling a tool. */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** The longest answer in tokens, reasoning included. Never left out: budgets reserve what is sent. */
  readonly maxTokens: number;
  readonly sampling?: Sampling | undefined;
  /** The answer is to be JSON that fits this schema. Whether it does is for `readAs` to say. */
  readonly format?: { readonly name: string; readonly schema: JsonSchema } | undefined;
};

export type CompletionEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'end';
      readonly text: string;
      readonly finish: string;
      readonly model: string;
      /** What the model wants tools to do before it goes on. */
      readonly toolCalls?: readonly ToolCall[] | undefined;
      readonly usage?: Usage | undefined;
      readonly requestId?: string | undefined;
      readonly weightVersion?: string | undefined;
    };

/** The right to send requests to the upstream, counted in the token table. */
export type RequestPermits = Pick<
  KeyRateLimiter,
  'take' | 'takeFree' | 'find' | 'withdraw' | 'poll' | 'leave' | 'release' | 'heard'
>;

/** Of a process that sends no requests, and so keeps no position in the wait queue of a key. */
export const noWaitQueue: Pick<RequestPermits, 'withdraw'> = { withdraw: () => Promise.resolve() };

/** Tells which models are at capacity. */
export type ModelBreakers = Pick<Breakers, 'waitMs' | 'enter' | 'wasFull' | 'answered' | 'left'>;

/** Takes every model for available. */
export const noBreakers: ModelBreakers = {
  waitMs: () => Promise.resolve(0),
  enter: () => Promise.resolve(0),
  wasFull: () => Promise.resolve(),
  answered: () => Promise.resolve(),
  left: () => Promise.resolve(),
};

/** How a model picks its words, as far as it honours that. */
export type Sampling = {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined;
};

export type Settings = {
  readonly systemPrompt: string;
  /** How much of a thread's past goes into a prompt. */
  readonly window: { readonly bytes: number; readonly tokens: number };
  /** How much of what others said in a thread before the bot was called into it. */
  readonly beforeCharacters: number;
  /** Models that are offered under an answer besides the one that gave it. */
  readonly otherModels: readonly string[];
  /** How much of a model's reasoning is shown: nothing, that it took place, the end of it too, or all of it as a file. */
  readonly reasoning: 'off' | 'brief' | 'full' | 'file';
  /** What was set where this is asked, level by level, the deployment's own included: for `resolve`. */
  readonly layers: SettingsLayers;
  /** For how many days what was said is kept where nobody set it. Absent where that is not known. */
  readonly keptDays?: number | undefined;
  /** The model that is asked; the deployment's own unless set. */
  readonly model?: string | undefined;
  readonly sampling?: Sampling | undefined;
  /** The longest answer in tokens, reasoning included, for every way to ask; see `maxAnswerTokens`. */
  readonly maxTokens?: number | undefined;
  /** Models that answer while the one that is asked is full, in this order. */
  readonly standIns: readonly string[];
  /** The model that makes up questions to ask next; without one none are offered. */
  readonly followUpModel?: string | undefined;
  /** Slack's one command, with its slash. */
  readonly slackCommand: string;
  /** The time zone (IANA) in which people are told the time. */
  readonly zone?: string | undefined;
};

/**
 * Settings unless told otherwise. The bytes of the window, as stored and packed, bound what reading the past costs:
 * 12 KB are one and a half read units, about ten turns of 2 KB or thirty short ones.
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
