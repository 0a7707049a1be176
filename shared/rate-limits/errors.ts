/** The key's requests are used up for longer than this delivery can wait. */
export class RateLimitExceeded extends Error {
  override readonly name: string = 'NoSlot';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`no request may be sent for another ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The request keeps its position in the wait queue while nobody waits for it; whoever asked knows the position and the time. */
export class WaitsInQueue extends RateLimitExceeded {
  override readonly name = 'WaitsInQueue';
}

/** Every model of the chain has said that it is full, and is not to be asked for longer than this delivery can wait. */
export class AllModelsBusy extends Error {
  override readonly name = 'ModelsFull';
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super(`no model may be asked for another ${retryAfterMs} ms`);
    this.retryAfterMs = retryAfterMs;
  }
}
