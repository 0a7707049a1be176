import type { PlatformName } from '../domain/index.ts';
import type { AccountCounters } from '../storage/index.ts';
import type { Budget, BudgetLimit } from './budgets/index.ts';

type BudgetPlace = { readonly platform: PlatformName; readonly zone: string };

/**
 * Why a budget does not allow a request. `over`: it is used up; `short`: what is left is less than the request may cost; `held`: what is
 * left would be enough, but requests in progress may need it.
 */
export type BudgetShortage = 'over' | 'short' | 'held';

/** A budget does not allow a request, or the person is blocked. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  /** The exceeded budget; absent if the person is blocked. */
  readonly budget: Budget | undefined;
  /** When the next period of the budget starts (ms since 1970); absent if the person is blocked. */
  readonly until: number | undefined;
  /** The time zone in which the period starts. */
  readonly zone: string;
  /** Where the person asked. */
  readonly platform: PlatformName;
  readonly shortage: BudgetShortage;
  constructor(
    { platform, zone }: BudgetPlace,
    budget?: Budget,
    until?: number,
    shortage: BudgetShortage = 'over',
  ) {
    super(budget ? `the budget of the ${budget.scope} is used up (${shortage})` : 'the person is blocked');
    this.platform = platform;
    this.zone = zone;
    this.budget = budget;
    this.until = until;
    this.shortage = shortage;
  }
}

/** Returns why a budget with these counters does not allow a request of at most `atto`. */
export function getBudgetShortage(
  limit: BudgetLimit,
  { atto: used, openAtto, requests }: Pick<AccountCounters, 'atto' | 'openAtto' | 'requests'>,
  atto: bigint,
): BudgetShortage {
  const spent = used - openAtto;
  // A request in progress counts as one whatever it costs.
  const hasRequests = limit.requests === undefined || requests < limit.requests;
  if (!hasRequests || limit.atto === undefined || spent >= limit.atto) return 'over';
  return spent + atto > limit.atto ? 'short' : 'held';
}
