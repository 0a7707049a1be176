import {
  type Logger,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import { noteCallError } from '../../../runtime/index.ts';
import { DEFAULT_RETRY_AFTER_MS, type SlackCall, SlackRateLimitError, SlackApiError } from './call.ts';

export type WebCallConfig = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  /** Returns the bot token. Called before every request, and again with `refresh` if Slack rejects the token, or this does as Slack would. */
  readonly token: (options?: { readonly refresh: boolean }) => Promise<string>;
  /** Called when Slack rejects a request because of a rate limit. */
  readonly onLimited?: (() => void) | undefined;
  /** Called with the scopes of the token after each response. */
  readonly onScopes?: ((scopes: readonly string[]) => void) | undefined;
  /** The timeout of one request in ms. Default 10,000. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** The token may have been replaced: renewed, or by a new install after a removal. */
const STALE = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);
/** The format of an error code. Anything else, such as the HTML of a proxy, may contain any text and is not logged. */
const CODE = /^[a-z][a-z0-9_.]{0,79}$/i;

/** Discards all lines: Slack's packages would log message texts, codes and tokens. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Options with which Slack's client sends one request per call. `headers` is never set: the client would share the token of one call with all others. */
export function createWebClientOptions(slackApiUrl: string, timeoutMs = TIMEOUT_MS): WebClientOptions {
  return {
    slackApiUrl,
    retryConfig: { retries: 0 },
    timeout: timeoutMs,
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    fetch: boundedFetch,
    logger: silentLogger,
  };
}

/** Returns Slack's error code, such as `invalid_code`; `unanswered` without one. */
export function getSlackErrorCode(error: unknown): string {
  return error instanceof WebAPIPlatformError && CODE.test(error.data.error)
    ? error.data.error
    : 'unanswered';
}

/**
 * Creates a SlackCall with Slack's client. One call is one request: the retries of the client (ten within half an hour) and its waits for a
 * 429 are off, since a repeated post creates a second message.
 */
export function createWebCall({
  slackApiUrl,
  token,
  onLimited,
  onScopes,
  timeoutMs = TIMEOUT_MS,
}: WebCallConfig): SlackCall {
  const client = new WebClient(undefined, createWebClientOptions(slackApiUrl, timeoutMs));
  const callOnce: SlackCall = async (method, args) => {
    const response = await client.apiCall(method, { ...args });
    // The header `x-oauth-scopes`, which Slack's client puts here.
    const { scopes } = response.response_metadata ?? {};
    if (scopes) onScopes?.(scopes);
    return { ...response };
  };
  const failed = (method: string, error: unknown): Error => {
    const failure = toPortError(method, error);
    if (failure instanceof SlackRateLimitError) onLimited?.();
    if (failure instanceof SlackApiError) noteCallError(method, failure.code);
    return failure;
  };
  return async (method, args) => {
    const current = await token().catch(async (error: unknown) => {
      // What is cached: that the app is not installed there, or a token of the deployment that Slack refuses.
      if (error instanceof SlackApiError && STALE.has(error.code)) return token({ refresh: true });
      throw error;
    });
    try {
      return await callOnce(method, { ...args, token: current });
    } catch (error) {
      if (!(error instanceof WebAPIPlatformError) || !STALE.has(error.data.error))
        throw failed(method, error);
      const fresh = await token({ refresh: true });
      if (fresh === current) throw failed(method, error);
      return await callOnce(method, { ...args, token: fresh }).catch((again: unknown) => {
        throw failed(method, again);
      });
    }
  };
}

/** Converts an error to those of the port. Of other errors only the kind is kept: their message may contain the request. */
function toPortError(method: string, error: unknown): Error {
  if (error instanceof WebAPIRateLimitedError)
    return new SlackRateLimitError(method, error.retryAfter * 1_000);
  if (error instanceof WebAPIPlatformError && CODE.test(error.data.error)) {
    return new SlackApiError(method, error.data.error);
  }
  // A 429 without a wait.
  if (error instanceof Error && error.message.startsWith('Retry header')) {
    return new SlackRateLimitError(method, DEFAULT_RETRY_AFTER_MS);
  }
  return new Error(`no usable answer from Slack to ${method}: ${getErrorKind(error)}`);
}

function getErrorKind(error: unknown): string {
  if (error instanceof WebAPIHTTPError) return `status ${error.statusCode}`;
  if (error instanceof WebAPIPlatformError) return 'not of the Web API';
  return error instanceof WebAPIRequestError ? error.original.name : 'unknown';
}

/** `fetch` that rejects responses of more than 8 MB. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  const body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined = response.body ?? undefined;
  if (!body) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer of Slack is too large');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}
