import { dateInZone } from '../../shared/billing/budgets/index.ts';
import { applyPolicyChange, type BudgetPolicyChange } from '../../shared/billing/edit-budget-policy.ts';
import type { CompletionEvent } from '../../shared/ports/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { ServerError } from '../../shared/upstream/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent } from './completion-harness.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

/** The server fails. */
export const NO = new ServerError('no', { status: 500 });

/** A thread whose first question is already answered, where each request costs a dollar. */
export async function openThread(
  scripts: readonly (readonly (CompletionEvent | Error)[])[] = [],
  more: Partial<WorkerContext> = {},
) {
  const time = new TestTime();
  const spending = spendingIn(time);
  const harness = threadHarness([[endEvent('Answer 1.')], ...scripts], { budgets: spending, ...more }, time);
  const quota = async (change: BudgetPolicyChange) => {
    await spending.changePolicy(THREAD, (book) => applyPolicyChange(book, change, time.now(), 'UTC'));
    time.advance(30_001);
  };
  /** The number of requests booked on a person today. */
  const paid = async (user: string) => {
    const accounts = await spending.listAccounts(THREAD, dateInZone(time.now(), 'UTC'));
    const theirs = accounts.filter(({ account }) => account.endsWith(`#person#${user}`));
    return theirs.reduce((sum, { requests }) => sum + requests, 0);
  };
  await harness.say('1.1', 'U9', 'Who is there?');
  await harness.queued();
  return { ...harness, spending, quota, paid };
}

export const block = (who: string): BudgetPolicyChange => ({ kind: 'block', who });
export const limit = (of: string, amount: string): BudgetPolicyChange => ({
  kind: 'set',
  scope: 'person',
  of,
  amount,
});
