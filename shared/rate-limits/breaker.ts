/**
 * The circuit breaker of a model: after the model reports that it has no capacity, no requests are sent for a
 * while, then one request tries again.
 */
export type Breaker = {
  /** Consecutive failures. */
  readonly fails: number;
  /** No request before this time (ms since 1970). */
  readonly untilMs: number;
};

const FIRST_WAIT_MS = 1_000;
/**
 * Short, because people are waiting: once the model has capacity, the next question starts within three
 * seconds.
 */
const MAX_WAIT_MS = 2_000;
/** How long one trial request may delay the others. A model without capacity replies sooner. */
export const PROBE_TIMEOUT_MS = 5_000;

/** The longest wait that a response may ask for: a server may be wrong. */
const MAX_REQUESTED_WAIT_MS = 3_600_000;

export const CLOSED: Breaker = { fails: 0, untilMs: 0 };

/**
 * Opens the breaker after a failure. The wait doubles each time, up to two seconds, with jitter in the upper
 * half so that workers do not return together. Never shorter than `retryAfterMs`, of which an hour counts. `random` in [0, 1).
 */
export function openBreaker(before: Breaker, nowMs: number, retryAfterMs: number, random: number): Breaker {
  const fails = before.fails + 1;
  const maxWaitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (fails - 1));
  const requestedMs = Math.min(MAX_REQUESTED_WAIT_MS, retryAfterMs);
  const wait = Math.max(requestedMs, maxWaitMs / 2 + (random * maxWaitMs) / 2);
  return { fails, untilMs: Math.ceil(nowMs + wait) };
}

/** `open`: send no request. `half-open`: one request may try. `closed`: send requests. */
export function getBreakerState({ fails, untilMs }: Breaker, nowMs: number): 'open' | 'half-open' | 'closed' {
  if (fails === 0) return 'closed';
  return nowMs < untilMs ? 'open' : 'half-open';
}

/** Orders models: those that accept requests first. None is left out, because all may be full. */
export function orderModels(models: readonly string[], full: ReadonlySet<string>): readonly string[] {
  return [...models.filter((model) => !full.has(model)), ...models.filter((model) => full.has(model))];
}
