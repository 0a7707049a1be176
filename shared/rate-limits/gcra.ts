/**
 * The generic cell rate algorithm: a limit's whole state is one number, the theoretical arrival time (`tat`),
 * at which the bucket would be full again. All times here are whole microseconds since 1970, which a
 * DynamoDB number holds exactly.
 *
 *   bucket full            burst used up
 *       |<---- tolerance ------>|
 *  tat - tolerance ............ tat        a request may be sent from `tat - tolerance` on
 */
export type RateLimit = {
  /** Requests per minute that the upstream allows in the long run. */
  readonly perMinute: number;
  /** Requests that may be sent back to back. */
  readonly burst: number;
};

/** A limit as the table enforces it. */
export type GcraRule = { readonly intervalUs: number; readonly toleranceUs: number };

/** Safety margins of a limit, because the upstream does the counting. */
export type GcraGuard = {
  /** The upstream counts requests when they arrive: two that are sent this far apart may arrive together. */
  readonly jitterMs: number;
  /** The maximum difference between the clocks of two workers. */
  readonly skewMs: number;
  /** The rate is divided by this. */
  readonly slowdown: number;
};

/** These margins cost two requests of the chat burst and one percent of the rate. */
export const GCRA_GUARD: GcraGuard = { jitterMs: 910, skewMs: 100, slowdown: 1.01 };

/** Returns the rule for a limit, minus the safety margins. The burst is at least one request. */
export function createGcraRule(limit: RateLimit, guard: GcraGuard = GCRA_GUARD): GcraRule {
  const intervalUs = Math.ceil((60e6 / limit.perMinute) * guard.slowdown);
  const guardUs = 1000 * (guard.jitterMs + guard.skewMs);
  return { intervalUs, toleranceUs: Math.max(0, (limit.burst - 1) * intervalUs - guardUs) };
}

/**
 * Returns the latest `tat` at which one more request is granted, if the asker waits up to `maxWaitUs` and
 * leaves `headroom` requests.
 */
export const getLatestTat = (rule: GcraRule, nowUs: number, maxWaitUs: number, headroom = 0): number =>
  nowUs + rule.toleranceUs + maxWaitUs - headroom * rule.intervalUs;

/** Returns how long a request that was granted at `tatBefore` has to wait before it is sent. */
export const waitUs = (rule: GcraRule, nowUs: number, tatBefore: number): number =>
  Math.max(0, tatBefore - rule.toleranceUs - nowUs);

/** The decision about one request; times in whole ms. */
export type GcraDecision =
  /** The permit is reserved: send after `waitMs`. */
  | { readonly granted: true; readonly waitMs: number }
  /** Nothing was reserved. A permit within the accepted wait is possible after `retryAfterMs`. */
  | { readonly granted: false; readonly retryAfterMs: number };
