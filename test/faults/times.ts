export const T0 = 1_700_000_000_000;
/**
 * After this time every retry has run: Slack's, the queue's (five, ten minutes apart if a worker dies at once), the
 * dead letters', the sweeps, and twenty deliveries that are a quarter of an hour late.
 */
export const END = T0 + 12 * 60 * 60_000;
export const MINUTE = 60_000;
/** When Slack retries, after the first attempt and after each failed one. */
export const SLACK_RETRIES = [0, MINUTE, 5 * MINUTE];
export const SLACK_WAITS_MS = 3_000;
/** After this time the queue has forgotten its deduplication ids. */
export const EVENT_LATE_MS = 400_000;
