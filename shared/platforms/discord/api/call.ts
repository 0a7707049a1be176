/** One request of Discord's REST API. */
export type DiscordRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the version, its query included. May hold a ticket: never logged. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Sent along with the body, which then has to name them in `attachments`. */
  readonly files?: readonly SentFile[];
  /** The path holds a ticket, which is all the right there is: the bot's token is not sent. */
  readonly ticket?: boolean;
};

export type SentFile = { readonly name: string; readonly type: string; readonly content: Uint8Array };

/**
 * One request. Resolves with the answer, not yet validated; undefined where there is none (204). Rejects with DiscordApiError
 * for a 4xx, DiscordRateLimited for a limit, and any other error when nobody knows whether it took effect (time-out, reset, 5xx).
 */
export type DiscordCall = (request: DiscordRequest) => Promise<unknown>;

/** Discord refused; nothing happened. `code` is its own (such as 10008, unknown message), 0 where it gave none. */
export class DiscordApiError extends Error {
  override readonly name = 'DiscordRefused';
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number) {
    super(`Discord refused: ${status}, code ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** A limit is reached, at Discord or before it was asked; nothing happened. */
export class DiscordRateLimited extends Error {
  override readonly name = 'DiscordBusy';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`Discord asks to wait ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Discord has not taken in yet that the call was deferred; it will in a moment. Nothing happened. */
export class DiscordNotYet extends Error {
  override readonly name = 'DiscordNotYet';
}
