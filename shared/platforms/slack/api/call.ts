/**
 * One call of Slack's Web API. Resolves with the answer of a call that Slack accepted (`ok: true`).
 * Rejects with SlackApiError for `ok: false`, SlackRateLimitError for a 429, and any other error when nobody knows
 * whether the call took effect (time-out, reset, 5xx).
 */
export type SlackCall = (method: string, args: Readonly<Record<string, unknown>>) => Promise<SlackResponse>;

export type SlackResponse = Readonly<Record<string, unknown>>;

/** Slack answered `ok: false`; `code` is its error, such as `message_not_in_streaming_state`. */
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

/** Slack answered 429; nothing happened. `retryAfterMs` is what Slack asks to wait. */
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
