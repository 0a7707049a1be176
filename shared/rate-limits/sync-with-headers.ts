import type { RateLimit, GcraRule } from './gcra.ts';

/** So many requests may be on their way, or have come back to us late, without that meaning anything. */
const SLACK = 1.5;
/** While the key is known to be used elsewhere too, so many requests more are left to the others, since they come unannounced. */
const CUSHION = 4;
/** How long after a sign of others the key counts as shared. */
export const SHARED_WINDOW_MS = 10 * 60_000;

/** A bucket as an answer is compared with it; all in us. */
export type LimitComparison = {
  readonly rule: GcraRule;
  readonly limit: RateLimit;
  /** When the request that was answered was sent. */
  readonly sentUs: number;
  readonly tat: number;
  /** Whether the key is known to be used elsewhere too. */
  readonly shared: boolean;
};

/**
 * By how much to put the line off (us), because an answer said that `remaining` requests may be sent now and by our
 * count it should have been more: the key is used elsewhere too. 0 while the counts agree. What stands in line has not
 * been sent and is not held against the upstream's count. Never negative: what is on its way is unknown to the upstream,
 * so a higher count than ours means nothing.
 */
export function headerAdjustment(
  { rule, limit, sentUs, tat, shared }: LimitComparison,
  remaining: number,
): number {
  const empty = sentUs + rule.toleranceUs + rule.intervalUs;
  const left = (empty - Math.min(tat, empty)) / rule.intervalUs;
  const held = limit.burst - 1 - rule.toleranceUs / rule.intervalUs;
  const expected = Math.min(limit.burst - 1, left + held + (shared ? CUSHION : 0));
  const missing = expected - remaining;
  const slack = shared ? 1 : Math.min(SLACK, Math.max(1, held) - 0.5);
  return missing > slack ? Math.ceil(missing * rule.intervalUs) : 0;
}
