import { randomUUID } from 'node:crypto';
import { ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { TestTime } from '../upstream/time.ts';
import { createMemoryDynamo } from './dynamo.ts';

/** Budgets in a table of their own, where every call costs a dollar. */
export function spendingIn(time = new TestTime()): BudgetService {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  return new BudgetService({
    createId: randomUUID,
    ledger: new Ledger(store),
    policies: new BudgetPolicies(store),
    price: () => Promise.resolve({ atto: ATTO_PER_DOLLAR, priced: true }),
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
}
