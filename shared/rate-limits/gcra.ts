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

/** What is held back of a limit, because it is counted elsewhere. */
export type GcraGuard = {
  /** Requests are counted where they arrive: two that leave so far apart may arrive together. */
  readonly jitterMs: number;
  /** By how much the clocks of two workers may differ. */
  readonly skewMs: number;
  /** The rate is used up to one part in this. */
  readonly slowdown: number;
};

/** Two requests of the chat's burst, and one percent of the rate (`reliability`: jitter and skew guard). */
export const GCRA_GUARD: GcraGuard = { jitterMs: 910, skewMs: 100, slowdown: 1.01 };

/** The rule that keeps within `limit`, with `guard` held back. A burst never falls below one request. */
export function gcraRule(limit: RateLimit, guard: GcraGuard = GCRA_GUARD): GcraRule {
  const intervalUs = Math.ceil((60e6 / limit.perMinute) * guard.slowdown);
  const heldUs = 1000 * (guard.jitterMs + guard.skewMs);
  return { intervalUs, toleranceUs: Math.max(0, (limit.burst - 1) * intervalUs - heldUs) };
}

/** The latest `tat` at which one more request is granted to someone who waits up to `maxWaitUs` and leaves `headroom`. */
export const latestTat = (rule: GcraRule, nowUs: number, maxWaitUs: number, headroom = 0): number =>
  nowUs + rule.toleranceUs + maxWaitUs - headroom * rule.intervalUs;

/** How long a request granted at `tatBefore` has to wait before it may be sent. */
export const waitUs = (rule: GcraRule, nowUs: number, tatBefore: number): number =>
  Math.max(0, tatBefore - rule.toleranceUs - nowUs);

/** What asking for the right to send one request came to; times in whole ms. */
export type GcraDecision =
  /** Send after `waitMs`: the slot is reserved. */
  | { readonly granted: true; readonly waitMs: number }
  /** Nothing was taken; a slot within the wait asked for may be had after `retryAfterMs`. */
  | { readonly granted: false; readonly retryAfterMs: number };
