export {
  countImages,
  estimateUsage,
  estimateMaxUsage,
  listMediaModalities,
  type PlannedRequest,
  type Price,
  unknownPrice,
  type BudgetWarning,
} from './reservation.ts';
export { BudgetExceededError } from './budget-exceeded.ts';
export { BudgetService, type FixedPriceRequest, getAccountPartition } from './budget-service.ts';
export { applyPolicyChange, type BudgetPolicyChange, isGrantable, quotaCard } from './edit-budget-policy.ts';
export { isFreeFailure, createWarningStep, withBudget } from './metered-stream.ts';
export { type Budgets, unlimitedBudget } from './unlimited-budget.ts';
export {
  escapeCsvCell,
  formatBookedCost,
  getLastDays,
  getMonthDays,
  sumBooked,
  usageCard,
  usageCsv,
} from './usage-report.ts';
