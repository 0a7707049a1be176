import type { JobAccounts } from '../video/jobs/index.ts';
import type { BudgetService } from './budget-service.ts';

/** Reserves money before a request and books what it cost. Reports and policies need `enabled`. */
export type Budgets = Pick<BudgetService, keyof BudgetService> | typeof unlimitedBudget;

/** What a request has reserved. */
export type Hold = Pick<Awaited<ReturnType<BudgetService['reserve']>>, 'settle' | 'release'>;

const hold: Hold = {
  settle: () => Promise.resolve(undefined),
  release: () => Promise.resolve(),
};

/** Of a deployment without accounts: everything may be spent, nothing is booked. */
export const unlimitedBudget = {
  enabled: false,
  reserve: () => Promise.resolve(hold),
  agree: (): Promise<JobAccounts> => Promise.resolve([]),
  perRequest: () => Promise.resolve({ atto: 0n, priced: false }),
  finish: () => Promise.resolve(),
  disagree: () => Promise.resolve(),
  warning: () => Promise.resolve(undefined),
  refusalOf: () => Promise.resolve(undefined),
  paysAlone: () => Promise.resolve(false),
  zoneOf: () => Promise.resolve(undefined),
} as const;
