export {
  BudgetExceededError,
  BudgetService,
  type FixedPriceRequest,
  type PlannedRequest,
  getAccountPartition,
  type Price,
  unknownPrice,
} from './budget-service.ts';
export { applyPolicyChange, type BudgetPolicyChange, quotaCard } from './edit-budget-policy.ts';
export type { BudgetWarning } from './ledger-entries.ts';
export { estimateUsage, estimateMaxUsage, countImages, mediaModalities } from './usage-estimate.ts';
export { isFreeFailure, warningStep, withBudget } from './metered-stream.ts';
export { type Budgets, unlimitedBudget } from './unlimited-budget.ts';
export { escapeCsvCell, getLastDays, usageCard, usageCsv } from './usage-report.ts';
