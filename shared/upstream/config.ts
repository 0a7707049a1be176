import type { Dispatcher } from 'undici';
import type { UpstreamError } from './errors.ts';

/** The clock, injected so that tests and simulations control it. */
export type Clock = {
  /** ms since 1970. */
  readonly now: () => number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** All values in ms. */
export type Timeouts = {
  /** To open a connection. */
  readonly connect: number;
  /**
   * From sending a streamed request to the response headers, only for a model whose list entry says that it does not reason. The second attempt has
   * twice this time, the third three times, up to `firstToken`: a lost connection is noticed soon, and a server that first loads the
   * model is given up later. Any other model may think before it sends a byte, and each attempt would be billed.
   */
  readonly firstByte: number;
  /** From sending a request to the first text, reasoning or tool call. The request is not repeated then: the server may have been working on it. */
  readonly firstToken: number;
  /**
   * Between two parsed events of a stream, from its first text or tool call on. Until then it is `firstToken`: a model may think between the parts of
   * its reasoning that it shows. Keep-alive comments do not count.
   */
  readonly idle: number;
  /** From `finish_reason` to the usage. After it, the answer is accepted without usage. */
  readonly afterFinish: number;
  /** A whole request without streaming: models, vision. */
  readonly call: number;
  /** A whole chat completion without streaming. */
  readonly completion: number;
  /** A whole transcription or translation. */
  readonly speech: number;
};

export const DEFAULT_TIMEOUTS: Timeouts = {
  connect: 3_000,
  firstByte: 20_000,
  firstToken: 300_000,
  idle: 30_000,
  afterFinish: 5_000,
  call: 30_000,
  completion: 120_000,
  speech: 180_000,
};

/**
 * Changes the body of a chat request for one model, as it is sent: for servers that differ from the format in fields. Must not change
 * `stream`, and must be pure: an attempt may build the body again.
 */
export type AdaptBody = (
  body: Readonly<Record<string, unknown>>,
  model: string,
) => Readonly<Record<string, unknown>>;

/** The current API shape is OpenAI-like with a bearer key; the legacy one has `X-Api-Key` and flat tools. */
export type ApiShape = 'current' | 'legacy';

export type UpstreamConfig = {
  /** Base URL of chat, models and speech, with or without `/v1` at its end. Another version there replaces `/v1`: `/v1beta/openai`, `/v4`. Or the whole address of `/chat/completions`. */
  readonly baseUrl: string;
  /** Base URL of videos and images. The `vision` methods require it. */
  readonly visionUrl?: string | undefined;
  /**
   * Returns the API key. Called for each attempt; after a 401 once more with `{ refresh: true }`, for a rotated key. The
   * same key is not sent to the same service (chat, models, speech, vision) again after a 401.
   */
  readonly apiKey: (options?: { readonly refresh: boolean }) => Promise<string>;
  /** Default: `current`. */
  readonly shape?: ApiShape | undefined;
  readonly time: Clock;
  /** Returns a number in [0, 1), for retry jitter. */
  readonly random: () => number;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Default `max_tokens` of chat requests. */
  readonly maxTokens?: number | undefined;
  /**
   * Whether to adapt each chat request to what its model supports: as the cached model list says, and without fields that
   * the server rejected with a 400 that names them. Default: false.
   */
  readonly fitToModel?: boolean | undefined;
  /**
   * Paths of vision operations, by operation: `models`, `requests`, an operation that submits jobs such as `edit`
   * (`{model}` stands for the model), or a daily limited endpoint such as `clips`. The interface names most of them without a
   * path. Default: see `vision/paths.ts`.
   */
  readonly visionPaths?: Readonly<Record<string, string>> | undefined;
  /** Default: bodies are sent as they are. */
  readonly adaptBody?: AdaptBody | undefined;
  /** The model of the vision service's chat completion, and its path. Requests for this model go there. */
  readonly visionChat?: { readonly model: string; readonly path: string } | undefined;
  /**
   * How often a streamed answer is read at most, after its first words (ms): a read of many tokens takes hardly more processor time
   * than a read of one. Only over HTTP/1.1. Default: 0, each part when it arrives.
   */
  readonly readIntervalMs?: number | undefined;
  /** Where the rolling windows of the vision service are counted. Default: in the memory of this process. */
  readonly windows?: RequestWindows | undefined;
  /** Additional origins for the links of a video job. They receive the API key. */
  readonly jobOrigins?: readonly string[] | undefined;
  /** Replaces the client's own connection pool. */
  readonly agent?: Dispatcher | undefined;
};

/** Counts requests in rolling windows: a request counts for `windowMs` after it was made. */
export type RequestWindows = {
  /** Counts one request, or says how long to wait when the window is full. */
  readonly take: (
    endpoint: string,
    limit: { readonly requests: number; readonly windowMs: number },
  ) => Promise<{ readonly granted: true } | { readonly granted: false; readonly retryAfterMs: number }>;
};

/** Options of every method. */
export type CallOptions = {
  /** Cancels the request at once and closes its socket; the method rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the request, retries included (ms since 1970). */
  readonly deadline?: number | undefined;
  /** A longer wait requested by the server fails the request at once, with `retryAfterMs`. Default: 60 s. */
  readonly maxWaitMs?: number | undefined;
  /**
   * Awaited before every HTTP request, retries included; a rate limiter belongs here. `model` is the requested model, if
   * any.
   */
  readonly beforeAttempt?:
    | ((attempt: number, signal: AbortSignal, model?: string) => Promise<void>)
    | undefined;
  /**
   * Who waits after a 429 for the key or for a model at capacity. `client` (default): this client, at most twice.
   * `caller`: `beforeAttempt`, which is called again at once, until it rejects.
   */
  readonly waitsForLimits?: 'client' | 'caller' | undefined;
  /** Called with the outcome of each attempt, with or without rate limit headers. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** Replaces the configured key. Called after `beforeAttempt`, which may choose among several keys. */
  readonly apiKey?: UpstreamConfig['apiKey'] | undefined;
  /** Called with the rate limit headers of each response that has them, and after each limit. One inside a response with another status counts as a 429. */
  readonly onRateLimit?: ((info: RateLimitInfo) => void) | undefined;
};

/** The outcome of one HTTP request. */
export type AttemptOutcome = {
  /** The requested model, if any. */
  readonly model?: string | undefined;
  /** Undefined on success; a stream counts as successful from its first text, reasoning or tool call. */
  readonly error?: UpstreamError | undefined;
};

/** The rate limit headers of a response. */
export type RateLimitInfo = {
  readonly status: number;
  /** The requested model, if any. */
  readonly model?: string | undefined;
  /** Only on errors. `model_at_capacity` and `rate_limit_exceeded` need different handling. */
  readonly code?: string | undefined;
  /** The rate per window. Not comparable with `remaining`, which is at most the burst: do not subtract. */
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** Time until the limit is fully restored, in ms. A hint only. */
  readonly resetMs?: number | undefined;
  /** Time to wait, in ms. The vision service sends 0 with an allowed request. */
  readonly retryAfterMs?: number | undefined;
};
