import type { RateLimit, GcraRule } from './gcra.ts';

/** A difference of this many requests is normal: requests in flight, or late responses. */
const TOLERATED_DIFFERENCE = 1.5;
/**
 * While other clients use the key too, this many more requests are left to them, because their use is not known
 * in advance.
 */
const SHARED_KEY_RESERVE = 4;
/** How long a key counts as shared after the last evidence. */
export const SHARED_WINDOW_MS = 10 * 60_000;

/** The data for comparing a bucket with a response header; times in us. */
export type LimitComparison = {
  readonly rule: GcraRule;
  readonly limit: RateLimit;
  /** When the request was sent. */
  readonly sentUs: number;
  readonly tat: number;
  /** Whether other clients use the key too. */
  readonly shared: boolean;
};

/**
 * Returns by how much to delay the bucket (us), because a response said that only `remaining` requests are left
 * and our count is higher: another client uses the key. 0 while the counts agree. Requests in the wait queue
 * are not sent yet, so they do not count. Never negative: the upstream does not know of requests in flight, so
 * a higher count than ours means nothing.
 */
export function getHeaderAdjustment(
  { rule, limit, sentUs, tat, shared }: LimitComparison,
  remaining: number,
): number {
  const emptyAtUs = sentUs + rule.toleranceUs + rule.intervalUs;
  const left = (emptyAtUs - Math.min(tat, emptyAtUs)) / rule.intervalUs;
  const guardRequests = limit.burst - 1 - rule.toleranceUs / rule.intervalUs;
  const expected = Math.min(limit.burst - 1, left + guardRequests + (shared ? SHARED_KEY_RESERVE : 0));
  const missing = expected - remaining;
  const tolerated = shared ? 1 : Math.min(TOLERATED_DIFFERENCE, Math.max(1, guardRequests) - 0.5);
  return missing > tolerated ? Math.ceil(missing * rule.intervalUs) : 0;
}
