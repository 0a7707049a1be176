/** A request to Discord's REST API. */
export type DiscordRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path below the version, with the query. It may contain an interaction token, so it is never logged. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Sent as multipart parts. The body has to list them in `attachments`. */
  readonly files?: readonly SentFile[];
  /** The interaction token in the path authorizes the request. The bot token is not sent. */
  readonly byInteractionToken?: boolean;
};

export type SentFile = { readonly name: string; readonly type: string; readonly content: Uint8Array };

/**
 * Sends one request. Resolves with the response body, not validated; undefined if it is empty (204). Rejects with DiscordApiError
 * for a 4xx, with DiscordRateLimitError for a rate limit, and with another error if the outcome is unknown (timeout, reset, 5xx).
 */
export type DiscordCall = (request: DiscordRequest) => Promise<unknown>;

/** Discord refused the request; nothing happened. `code` is Discord's error code (such as 10008, unknown message), or 0. */
export class DiscordApiError extends Error {
  override readonly name = 'DiscordApiError';
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number) {
    super(`Discord refused the request: status ${status}, code ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** A rate limit is reached, at Discord or in this process; nothing happened. `code` is Discord's error code, which some limits have (such as 30046), or 0. */
export class DiscordRateLimitError extends Error {
  override readonly name = 'DiscordRateLimitError';
  readonly retryAfterMs: number;
  readonly code: number;
  constructor(retryAfterMs: number, code = 0) {
    super(`Discord's rate limit: retry after ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }
}

/** Discord does not know yet that the interaction was deferred. A retry soon succeeds. Nothing happened. */
export class DiscordNotReadyError extends Error {
  override readonly name = 'DiscordNotReadyError';
}

/** How long an interaction token is used. Discord accepts it for 15 minutes; a request at their very end would arrive too late. */
export const INTERACTION_TOKEN_TTL_MS = 15 * 60_000 - 20_000;
