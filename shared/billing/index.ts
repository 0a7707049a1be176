export {
  BudgetExceeded,
  BudgetService,
  type FixedPrice,
  type PlannedRequest,
  policyOf,
  type Price,
  unknownPrice,
} from './budget-service.ts';
export { applyGrant, type BudgetPolicyChange, quotaCard } from './edit-budget-policy.ts';
export type { BudgetWarning } from './ledger-entries.ts';
export { estimateUsage, maxCostEstimate, picturesIn } from './max-cost-estimate.ts';
export { isFreeFailure, warningStep, withBudget } from './metered-stream.ts';
export { type Budgets, unlimitedBudget } from './unlimited-budget.ts';
export { cell, lastDays, usageCard, usageCsv } from './usage-report.ts';
