export { deliverWeeklySummary, type FormatWeeklyCommand } from './deliver.ts';
export { loadWeeklySummary } from './load-summary.ts';
export { subscriptionParts } from './subscription-card.ts';
export { summaryCard } from './summary-card.ts';
export {
  createSubscription,
  parseRecurrence,
  subscriptionId,
  type SubscriptionTarget,
} from './subscription.ts';
