/** No permit is available within the time that this delivery can wait. */
export class RateLimitExceededError extends Error {
  override readonly name: string = 'RateLimitExceededError';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`no request may be sent for another ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Thrown when the request keeps its position in the wait queue between two deliveries. The person sees the
 * position and the expected time.
 */
export class QueuedRequestError extends RateLimitExceededError {
  override readonly name = 'QueuedRequestError';
}

/** All models of the chain lack capacity for longer than this delivery can wait. */
export class AllModelsBusyError extends Error {
  override readonly name = 'AllModelsBusyError';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`no model may be asked for another ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}
