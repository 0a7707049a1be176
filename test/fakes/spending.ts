import { DOLLAR, EMPTY_BOOK } from '../../shared/budgets/index.ts';
import { Spending } from '../../shared/flows/spending.ts';
import { Books, Ledger } from '../../shared/store/index.ts';
import { TestTime } from '../upstream/time.ts';
import { createMemoryDynamo } from './dynamo.ts';

/** Budgets in a table of their own, where every call costs a dollar. */
export function spendingIn(time = new TestTime()): Spending {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  return new Spending({
    ledger: new Ledger(store),
    books: new Books(store),
    price: () => Promise.resolve({ atto: DOLLAR, priced: true }),
    time,
    zone: 'UTC',
    deployment: EMPTY_BOOK,
  });
}
