import {
  accountKeyOf,
  type Budget,
  type Scope,
  usedShare,
  WARNING_SHARES,
  type BudgetSubject,
} from './budgets/index.ts';
import type { AccountKey, Ledger, UsageCounters } from '../storage/index.ts';

/** The book of the whole deployment. */
const ALL_WORKSPACES = 'ACCOUNT#*';

/** An account that a call is booked on. `budget`: what binds there, if something does. */
export type LedgerEntry = {
  readonly key: AccountKey;
  readonly budget: Budget | undefined;
  reserved: boolean;
};

/** A budget of which four fifths are used: people are told once in its time. */
export type BudgetWarning = { readonly scope: Scope; readonly period: Budget['period'] };

/** A warning, for the first who finds that there is reason for one. */
export async function warningOf(
  ledger: Ledger,
  key: AccountKey,
  { most, scope, period }: Budget,
  tally: UsageCounters,
): Promise<BudgetWarning | undefined> {
  if (usedShare(most, tally) < WARNING_SHARES) return undefined;
  return (await ledger.claimWarning(key)) ? { scope, period } : undefined;
}

/** Gives back what was reserved on these lines. Never rejects. */
export async function releaseAll(
  ledger: Ledger,
  lines: readonly LedgerEntry[],
  id: string,
  atto: bigint,
): Promise<void> {
  const reserved = lines.filter((one) => one.reserved);
  await Promise.allSettled(reserved.map(({ key }) => retryOnce(() => ledger.release(key, id, atto))));
}

/** Bookings name their call: made again, they count once. */
export async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  return write().catch(write);
}

const line = (book: string, account: string, budget?: Budget): LedgerEntry => ({
  key: { book, account },
  budget,
  reserved: false,
});

/** The accounts that a call is booked on: those with a budget, and the day's of the person, channel and workspace. */
export function ledgerEntries(
  name: string,
  budgets: readonly Budget[],
  above: readonly Budget[],
  who: BudgetSubject,
  now: number,
  zone: string,
): LedgerEntry[] {
  const days = (['person', 'channel', 'workspace'] as const)
    .map((scope) => accountKeyOf(scope, who, 'day', now, zone))
    .filter((account) => !budgets.some((budget) => budget.account === account));
  return [
    ...budgets.map((budget) => line(name, budget.account, budget)),
    ...above.map((budget) => line(ALL_WORKSPACES, budget.account, budget)),
    ...days.map((account) => line(name, account)),
  ];
}
