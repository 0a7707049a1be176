import type { Limit, Rule } from './gcra.ts';

/** So many requests may be on their way, or have come back to us late, without that meaning anything. */
const SLACK = 1.5;

/**
 * By how much to put the line off (us), because an answer said that `remaining` requests may be sent now and by our
 * count it should have been more: the key is used elsewhere too. 0 while the counts agree. `tat` is the bucket's; what
 * stands in line has not been sent and is not held against the upstream's count. Never negative: what is on its way is
 * unknown to the upstream, so a higher count than ours means nothing.
 */
export function adoption(rule: Rule, limit: Limit, nowUs: number, tat: number, remaining: number): number {
  const level = Math.min(Math.max(tat, nowUs), nowUs + rule.toleranceUs + rule.intervalUs);
  const left = (nowUs + rule.toleranceUs + rule.intervalUs - level) / rule.intervalUs;
  const held = limit.burst - 1 - rule.toleranceUs / rule.intervalUs;
  const missing = left + held - remaining;
  return missing > Math.min(SLACK, Math.max(1, held) - 0.5) ? Math.ceil(missing * rule.intervalUs) : 0;
}
