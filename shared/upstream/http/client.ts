import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import {
  type CallOptions,
  DEFAULT_TIMEOUTS,
  type ApiShape,
  type Clock,
  type Timeouts,
  type UpstreamConfig,
} from '../config.ts';
import { AuthError, UpstreamError } from '../errors.ts';
import { createHttpError } from './create-error.ts';
import { parseRateLimit } from './rate-limit-headers.ts';
import { decideRetry, type RetryDecision, RetryBudget } from './retry.ts';
import { type HttpResponse, createAgent, type HttpRequest, readText, send } from './transport.ts';
import { AttemptTimeouts } from './attempt-timeouts.ts';

/** An error body is a sentence or two; a proxy's error page is larger. */
const MAX_ERROR_BYTES = 64 * 1024;

/** State that all requests to one upstream share. */
export type Client = {
  readonly baseUrl: URL;
  readonly visionUrl: URL | undefined;
  readonly visionChat: UpstreamConfig['visionChat'];
  readonly apiKey: UpstreamConfig['apiKey'];
  readonly shape: ApiShape;
  readonly time: Clock;
  readonly random: () => number;
  readonly timeouts: Timeouts;
  readonly agent: Dispatcher;
  /** See `UpstreamConfig`. */
  readonly readIntervalMs: number;
  readonly retryBudget: RetryBudget;
  /** Hashes of the keys that got a 401, by service. None of them is sent to that service again. */
  readonly rejectedKeys: Readonly<Record<Service, Set<string>>>;
};

/** Endpoints that accept or reject a key together: a key may be allowed to chat, but not to list the models. */
export type Service = 'chat' | 'models' | 'speech' | 'vision';

/** Throws a TypeError when a URL is invalid. */
export function createClient(config: UpstreamConfig): Client {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...config.timeouts };
  const { readIntervalMs = 0 } = config;
  return {
    baseUrl: parseBaseUrl(config.baseUrl),
    visionUrl: config.visionUrl ? parseBaseUrl(config.visionUrl) : undefined,
    visionChat: config.visionChat,
    apiKey: config.apiKey,
    shape: config.shape ?? 'current',
    time: config.time,
    random: config.random,
    timeouts,
    agent: config.agent ?? createAgent(timeouts.connect, readIntervalMs > 0),
    readIntervalMs,
    retryBudget: new RetryBudget(),
    rejectedKeys: { chat: new Set(), models: new Set(), speech: new Set(), vision: new Set() },
  };
}

/** Parses a base URL, whose path `getEndpointUrl` joins with those of the endpoints. */
function parseBaseUrl(text: string): URL {
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`Not an HTTP address: ${url.protocol}`);
  url.search = '';
  url.hash = '';
  return url;
}

/** One HTTP request of a call, with its timeouts. */
export type Attempt = {
  /** How many attempts of this call got no byte in time. */
  readonly slowStarts: number;
  readonly model: string;
  readonly key: string;
  /** Aborts the attempt on timeout. The reader of the response calls `timeouts.end()` at its end. */
  readonly timeouts: AttemptTimeouts;
};

export type AttemptsOptions = CallOptions & {
  readonly service: Service;
  /** Whether to retry after the response was cut. */
  readonly repeatable: boolean;
  /** Leaves the field that the error names out of the model's next request. Returns whether the request changed. */
  readonly adaptRequest?: ((error: UpstreamError, model: string) => boolean) | undefined;
};

/**
 * Runs attempts until one succeeds or the retry policy gives up (see `retry.ts`). `run` sends exactly one HTTP request and
 * must reject before it delivers any of the answer. When it resolves, the attempt's timeouts are still active.
 */
export async function runAttempts<T>(
  client: Client,
  options: AttemptsOptions,
  models: readonly string[],
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { time } = client;
  let retries = 0;
  let slowStarts = 0;
  let refresh: 'no' | 'now' | 'done' = 'no';
  let modelIndex = 0;
  let rejection: UpstreamError | undefined;
  client.retryBudget.earn();
  for (let number = 1; ; number += 1) {
    const timeouts = new AttemptTimeouts(time, options);
    const model = models[modelIndex] ?? '';
    const requestedModel = model === '' ? undefined : model;
    let key: string | undefined;
    try {
      if (timeouts.signal.aborted) throw timeouts.signal.reason;
      await timeouts.race(
        options.beforeAttempt?.(number, timeouts.signal, requestedModel) ?? Promise.resolve(),
      );
      key = await getKey(client, options, timeouts, refresh === 'now');
      if (refresh === 'now') refresh = 'done';
      const response = await run({ slowStarts, model, key, timeouts });
      options.onAttempt?.({ model: requestedModel });
      return response;
    } catch (error) {
      timeouts.end();
      if (!(error instanceof UpstreamError)) throw error;
      if (error.code === 'first_byte') slowStarts += 1;
      if (error.code !== KEY_WAS_REJECTED) options.onAttempt?.({ model: requestedModel, error });
      reportLimitInResponse(options, model, error);
      if (rememberRejectedKey(client.rejectedKeys[options.service], error, key)) rejection = error;
      const decision = decideRetry(error, {
        retries,
        keyRefreshed: refresh !== 'no',
        hasMoreModels: modelIndex + 1 < models.length,
        requestChanged: options.adaptRequest?.(error, model),
        random: client.random(),
        now: time.now(),
        deadline: options.deadline,
        maxWaitMs: options.maxWaitMs,
        repeatable: options.repeatable,
        callerWaits: options.waitsForLimits === 'caller' && options.beforeAttempt !== undefined,
      });
      if (!takeRetry(decision, error, client.retryBudget)) throw finalError(error, rejection);
      if (decision.kind === 'fresh-key') refresh = 'now';
      modelIndex = nextModelIndex(decision, modelIndex);
      if (decision.kind !== 'wait') continue;
      retries += 1;
      await time.sleep(decision.ms, options.signal);
    }
  }
}

const KEY_WAS_REJECTED = 'key_was_rejected';

/** Remembers the key of a 401. Returns whether the server itself rejected the key now. */
function rememberRejectedKey(
  rejectedKeys: Set<string>,
  error: UpstreamError,
  key: string | undefined,
): boolean {
  if (error.status !== 401 || error.code === KEY_WAS_REJECTED || key === undefined) return false;
  rejectedKeys.add(hashKey(key));
  return true;
}

/** The server's own rejection says more than this client's. */
const finalError = (error: UpstreamError, rejection: UpstreamError | undefined): UpstreamError =>
  error.code === KEY_WAS_REJECTED ? (rejection ?? error) : error;

/** With the status of a 401, so that the key is read again once. */
const keyWasRejected = (): AuthError =>
  new AuthError('The upstream rejected this API key before (401). It is not sent again.', {
    status: 401,
    code: KEY_WAS_REJECTED,
  });

/** The client keeps no keys. */
const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64');

/** A fresh key and a changed request go to the same model; after a wait the first model is asked again. */
function nextModelIndex({ kind }: RetryDecision, current: number): number {
  if (kind === 'next-model') return current + 1;
  return kind === 'fresh-key' || kind === 'changed-request' ? current : 0;
}

/** Whether the request is sent again; a retry after a failure is taken from the budget. */
function takeRetry(decision: RetryDecision, error: UpstreamError, budget: RetryBudget): boolean {
  if (decision.kind === 'give-up') return false;
  const isFailure = decision.kind === 'wait' && error.kind !== 'rate-limited' && error.kind !== 'at-capacity';
  return !isFailure || budget.spend();
}

async function getKey(
  client: Client,
  { service, apiKey = client.apiKey }: AttemptsOptions,
  timeouts: AttemptTimeouts,
  refresh: boolean,
): Promise<string> {
  if (timeouts.signal.aborted) throw timeouts.signal.reason;
  const key = await timeouts.race(refresh ? apiKey({ refresh: true }) : apiKey());
  if (/[^\x21-\x7e]/u.test(key)) {
    throw new AuthError('The API key contains characters that are invalid in a header.', {
      code: 'invalid_key',
    });
  }
  if (client.rejectedKeys[service].has(hashKey(key))) throw keyWasRejected();
  return key;
}

/** The header in which an endpoint expects the key. */
export type Credential = 'bearer' | 'x-api-key' | 'both';

/** Returns no header for an empty key: local servers need none. */
export function createCredentialHeaders(key: string, credential: Credential): Record<string, string> {
  if (key === '') return {};
  return {
    ...(credential === 'x-api-key' ? {} : { authorization: `Bearer ${key}` }),
    ...(credential === 'bearer' ? {} : { 'x-api-key': key }),
  };
}

/** Sends the attempt's HTTP request. Throws the matching error for a status other than 2xx. */
export async function sendAttempt(
  client: Client,
  attempt: Attempt,
  request: HttpRequest,
  options: CallOptions & { readonly isChat?: boolean },
): Promise<HttpResponse> {
  const { timeouts, key, model } = attempt;
  const response = await send(client.agent, request, timeouts);
  timeouts.cancel('first_byte');
  const { status, headers } = response;
  const now = client.time.now();
  const isOk = status >= 200 && status < 300;
  if (isOk) {
    reportRateLimit(options, model, parseRateLimit(status, headers, now));
    return response;
  }
  timeouts.start('total', client.timeouts.call);
  const body = await readText(response, MAX_ERROR_BYTES, timeouts).catch((error: unknown) => {
    if (timeouts.signal.aborted && options.signal?.aborted === true) throw error;
    return '';
  });
  const error = createHttpError({ status, headers, body, key, now, isChat: options.isChat ?? false });
  const rateLimit = parseRateLimit(status, headers, now);
  const { code, retryAfterMs } = error;
  // A prompt that is larger than the limit says nothing of what is left of it.
  if (status !== 429 || error.kind !== 'bad-request')
    reportRateLimit(options, model, rateLimit && { ...rateLimit, code, retryAfterMs });
  throw error;
}

/** Reports a limit that the server named inside a response with another status (OpenRouter) as a 429, so that callers pause. */
function reportLimitInResponse(
  options: CallOptions,
  model: string,
  { kind, status, code, retryAfterMs }: UpstreamError,
): void {
  // The windows of the vision service are counted here, and their error is no response.
  if (kind === 'rate-limited' && status === undefined && code !== 'window_full')
    reportRateLimit(options, model, { status: 429, code, retryAfterMs });
}

function reportRateLimit(
  options: CallOptions,
  model: string,
  rateLimit: Parameters<NonNullable<CallOptions['onRateLimit']>>[0] | undefined,
): void {
  if (rateLimit !== undefined) options.onRateLimit?.(model === '' ? rateLimit : { ...rateLimit, model });
}
