import type { Dispatcher } from 'undici';
import type { UpstreamError } from './errors.ts';

/** Time as an argument, so that a test or a simulation can hold its hands. */
export type Time = {
  /** ms since 1970. */
  readonly now: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** All in ms. */
export type Timeouts = {
  /** To open a connection. */
  readonly connect: number;
  /** From sending a request to the headers of its answer. Reasoning models may need a minute. */
  readonly firstByte: number;
  /** From sending a request to the first piece of text, reasoning or tool call. */
  readonly firstToken: number;
  /** Between two parsed events of a stream. Keep-alive comments do not count. */
  readonly idle: number;
  /** How long usage may lag behind `finish_reason` before the answer is taken without it. */
  readonly afterFinish: number;
  /** A whole call that is not streamed: models, vision. */
  readonly call: number;
  /** A whole chat completion that is not streamed. */
  readonly completion: number;
  /** A whole transcription or translation. */
  readonly speech: number;
};

export const DEFAULT_TIMEOUTS: Timeouts = {
  connect: 3_000,
  firstByte: 20_000,
  firstToken: 60_000,
  idle: 30_000,
  afterFinish: 5_000,
  call: 30_000,
  completion: 120_000,
  speech: 180_000,
};

/** The current shape is bearer and OpenAI-like; the legacy one has `X-Api-Key` and flat tools. */
export type Shape = 'current' | 'legacy';

export type UpstreamConfig = {
  /** Chat, models and speech. A trailing `/v1` is tolerated. */
  readonly baseUrl: string;
  /** Videos and images; the calls under `vision` need it. */
  readonly visionUrl?: string | undefined;
  /** Called for each attempt; after a 401 once more with `{ refresh: true }`, in case the key was rotated. */
  readonly apiKey: (ask?: { readonly refresh: boolean }) => Promise<string>;
  /** `current` unless told otherwise. */
  readonly shape?: Shape | undefined;
  readonly time: Time;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** `max_tokens` of a request that names none. */
  readonly maxTokens?: number | undefined;
  /** Look each chat request's model up in the (cached) list and leave out what it does not support. Off by default. */
  readonly fitToModel?: boolean | undefined;
  /** Where the rolling windows of the vision service are kept; in memory, for this process alone, by default. */
  readonly windows?: Windows | undefined;
  /** Origins beside `visionUrl`'s own to which the links of a video job may point, and which get the key. */
  readonly jobOrigins?: readonly string[] | undefined;
  /** Instead of the client's own connection pool. */
  readonly agent?: Dispatcher | undefined;
};

/** Keeps count of requests in windows that roll: one frees its place `windowMs` after it was made. */
export type Windows = {
  /** Takes a place, or says how long until one is free. */
  readonly take: (
    endpoint: string,
    limit: { readonly requests: number; readonly windowMs: number },
  ) => Promise<{ readonly granted: true } | { readonly granted: false; readonly retryAfterMs: number }>;
};

/** What every call takes. */
export type CallOptions = {
  /** Ends the call at once and closes its socket; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** No part of the call goes on after this (ms since 1970). */
  readonly deadline?: number | undefined;
  /** When the server asks to wait longer than this, the call fails at once with `retryAfterMs`. 60 s by default. */
  readonly maxWaitMs?: number | undefined;
  /**
   * Awaited before every request that is sent, retries included: the place to take a token of one's own limiter. `model`
   * is the one that is asked, where one is.
   */
  readonly beforeAttempt?:
    | ((attempt: number, signal: AbortSignal, model?: string) => Promise<void>)
    | undefined;
  /**
   * Who waits after a 429 of the key or of a full model. `client`, the default: the call itself, at most twice. `caller`:
   * `beforeAttempt`, which is asked again at once, any number of times until it rejects.
   */
  readonly waitsForLimits?: 'client' | 'caller' | undefined;
  /** Told how each attempt came out, whatever its answer said of limits. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** Instead of the configuration's: asked after `beforeAttempt`, which may choose among several keys. */
  readonly apiKey?: UpstreamConfig['apiKey'] | undefined;
  /** Told of the limit headers of each answer that has them. */
  readonly onRateLimit?: ((seen: RateLimitSeen) => void) | undefined;
};

/** How one request came out. */
export type AttemptOutcome = {
  /** The model that was asked, where one was. */
  readonly model?: string | undefined;
  /** Undefined for an answer: of a stream, for its first event. */
  readonly error?: UpstreamError | undefined;
};

/** What an answer said about limits. */
export type RateLimitSeen = {
  readonly status: number;
  /** The model that was asked, where one was. */
  readonly model?: string | undefined;
  /** `model_at_capacity` and `rate_limit_exceeded` need different care. Only on errors. */
  readonly code?: string | undefined;
  /** The rate per window. Not on the scale of `remaining` (which is at most the burst): never subtract. */
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** A hint: until the limit is whole again, in ms. */
  readonly resetMs?: number | undefined;
  /** How long to wait, in ms; the vision service sends 0 with an allowed request. */
  readonly retryAfterMs?: number | undefined;
};
