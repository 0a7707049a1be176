export { deliverWeeklySummary, type FormatWeeklyCommand } from './deliver.ts';
export { loadWeeklySummary } from './load-summary.ts';
export { createSubscriptionParts } from './subscription-card.ts';
export { createSummaryCard } from './summary-card.ts';
export {
  createSubscription,
  parseRecurrence,
  subscriptionId,
  type SubscriptionTarget,
} from './subscription.ts';
