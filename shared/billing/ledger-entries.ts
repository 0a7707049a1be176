import {
  getAccountName,
  type Budget,
  type Scope,
  usedShare,
  WARNING_SHARE,
  type BudgetSubject,
} from './budgets/index.ts';
import type { AccountKey, Ledger, UsageCounters } from '../storage/index.ts';

/** The partition key of the accounts of the whole deployment. */
const DEPLOYMENT_PARTITION = 'ACCOUNT#*';

/** An account on which a request is booked. `budget` limits it, if there is one. */
export type LedgerEntry = {
  readonly key: AccountKey;
  readonly budget: Budget | undefined;
  reserved: boolean;
};

/** Most of this budget is used. People are warned once per period. */
export type BudgetWarning = { readonly scope: Scope; readonly period: Budget['period'] };

/** Returns a warning if most of the budget is used and no one has been warned in this period. */
export async function claimBudgetWarning(
  ledger: Ledger,
  key: AccountKey,
  { limit, scope, period }: Budget,
  counters: UsageCounters,
): Promise<BudgetWarning | undefined> {
  if (usedShare(limit, counters) < WARNING_SHARE) return undefined;
  return (await ledger.claimWarning(key)) ? { scope, period } : undefined;
}

/** Releases the reservations of these entries. Never rejects. */
export async function releaseAll(
  ledger: Ledger,
  entries: readonly LedgerEntry[],
  id: string,
  atto: bigint,
): Promise<void> {
  const reserved = entries.filter((entry) => entry.reserved);
  await Promise.allSettled(reserved.map(({ key }) => retryOnce(() => ledger.release(key, id, atto))));
}

/** Writes again after a failure. Bookings are idempotent by the id of their request. */
export async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  return write().catch(write);
}

const createEntry = (partition: string, account: string, budget?: Budget): LedgerEntry => ({
  key: { book: partition, account },
  budget,
  reserved: false,
});

/**
 * Returns the accounts on which a request is booked: those with a budget, and the daily ones of the person, channel and
 * workspace.
 */
export function createLedgerEntries(
  partition: string,
  budgets: readonly Budget[],
  deploymentBudgets: readonly Budget[],
  subject: BudgetSubject,
  now: number,
  zone: string,
): LedgerEntry[] {
  const dailyAccounts = (['person', 'channel', 'workspace'] as const)
    .map((scope) => getAccountName(scope, subject, 'day', now, zone))
    .filter((account) => !budgets.some((budget) => budget.account === account));
  return [
    ...budgets.map((budget) => createEntry(partition, budget.account, budget)),
    ...deploymentBudgets.map((budget) => createEntry(DEPLOYMENT_PARTITION, budget.account, budget)),
    ...dailyAccounts.map((account) => createEntry(partition, account)),
  ];
}
