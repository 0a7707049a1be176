/**
 * The generic cell rate algorithm: a limit's whole state is one number, the theoretical arrival time (`tat`),
 * at which the bucket would be full again. All times here are whole microseconds since 1970, which a
 * DynamoDB number holds exactly.
 *
 *   bucket full            burst used up
 *       |<---- tolerance ------>|
 *  tat - tolerance ............ tat        a request may be sent from `tat - tolerance` on
 */
export type Limit = {
  /** Requests per minute that the upstream allows in the long run. */
  readonly perMinute: number;
  /** Requests that may be sent back to back. */
  readonly burst: number;
};

/** A limit as the table enforces it. */
export type Rule = { readonly intervalUs: number; readonly toleranceUs: number };

/**
 * Requests are counted where they arrive, a moment after they are taken here, and that moment varies: two that
 * are taken apart may arrive together. So a little less is used than is allowed (`reliability`: jitter guard).
 */
export const GUARD = { burst: 2, slowdown: 1.01 } as const;

/** The chat limit per upstream key, over all models (interface: Limits). */
export const CHAT_LIMIT: Limit = { perMinute: 120, burst: 30 };

/** The rule that keeps within `limit`, with `guard` held back. A burst never falls below one request. */
export function ruleFor(limit: Limit, guard: { burst: number; slowdown: number } = GUARD): Rule {
  const intervalUs = Math.ceil((60e6 / limit.perMinute) * guard.slowdown);
  const burst = Math.max(1, limit.burst - guard.burst);
  return { intervalUs, toleranceUs: (burst - 1) * intervalUs };
}

/** The latest `tat` at which one more request is still granted to someone ready to wait `maxWaitUs`. */
export const latestTat = (rule: Rule, nowUs: number, maxWaitUs: number): number =>
  nowUs + rule.toleranceUs + maxWaitUs;

/** How long a request granted at `tatBefore` has to wait before it may be sent. */
export const waitUs = (rule: Rule, nowUs: number, tatBefore: number): number =>
  Math.max(0, tatBefore - rule.toleranceUs - nowUs);

/** What asking for the right to send one request came to; times in whole ms. */
export type Decision =
  /** Send after `waitMs`: the slot is reserved. */
  | { readonly granted: true; readonly waitMs: number }
  /** Nothing was taken; a slot within the wait asked for may be had after `retryAfterMs`. */
  | { readonly granted: false; readonly retryAfterMs: number };
