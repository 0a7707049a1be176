/**
 * Sends one request to Slack's Web API. Resolves with the response if it is `ok: true`. Rejects with SlackApiError for `ok: false`, with
 * SlackRateLimitError for a 429, and with another error if the outcome is unknown (timeout, reset, 5xx).
 */
export type SlackCall = (method: string, args: Readonly<Record<string, unknown>>) => Promise<SlackResponse>;

export type SlackResponse = Readonly<Record<string, unknown>>;

/** Slack responded `ok: false`. `code` is its error code, such as `message_not_in_streaming_state`. */
export class SlackApiError extends Error {
  override readonly name = 'SlackApiError';
  readonly method: string;
  readonly code: string;
  constructor(method: string, code: string) {
    super(`Slack refused ${method}: ${code}`);
    this.method = method;
    this.code = code;
  }
}

/** The wait after a rate limit for which Slack names none, in ms. */
export const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Slack responded 429; nothing happened. `retryAfterMs` is the wait that Slack asks for. */
export class SlackRateLimitError extends Error {
  override readonly name = 'SlackRateLimitError';
  readonly method: string;
  readonly retryAfterMs: number;
  constructor(method: string, retryAfterMs: number) {
    super(`Slack asks to wait ${retryAfterMs} ms before ${method}`);
    this.method = method;
    this.retryAfterMs = retryAfterMs;
  }
}
