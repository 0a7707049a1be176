import type { JobAccounts } from '../video/jobs/index.ts';
import type { BudgetService } from './budget-service.ts';

/** Reserves money before a request and books what it cost. Reports and policies need `enabled`. */
export type Budgets = Pick<BudgetService, keyof BudgetService> | typeof unlimitedBudget;

/** The reservation of one request. */
export type RequestReservation = Pick<Awaited<ReturnType<BudgetService['reserve']>>, 'settle' | 'release'>;

const emptyReservation: RequestReservation = {
  settle: () => Promise.resolve(undefined),
  release: () => Promise.resolve(),
};

/** For a deployment without billing: allows everything and books nothing. */
export const unlimitedBudget = {
  enabled: false,
  reserve: () => Promise.resolve(emptyReservation),
  createReservationId: (request: string) => request,
  reserveFixedPrice: (): Promise<JobAccounts> => Promise.resolve([]),
  getRequestPrice: () => Promise.resolve({ atto: 0n, priced: false }),
  settleFixedPrice: () => Promise.resolve(),
  releaseFixedPrice: () => Promise.resolve(),
  claimWarning: () => Promise.resolve(undefined),
  findPersonalRefusal: () => Promise.resolve(undefined),
  isBlocked: () => Promise.resolve(false),
  mustPayAlone: () => Promise.resolve(false),
  countFailure: () => Promise.resolve(),
  getZone: () => Promise.resolve(undefined),
} as const;
