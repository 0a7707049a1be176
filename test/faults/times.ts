export const T0 = 1_700_000_000_000;
/**
 * By then everything that is ever tried again has been: Slack's retries, the queue's (five, ten minutes apart where a worker dies
 * at once), the dead letters', the sweeps, and twenty deliveries that are a quarter of an hour late.
 */
export const END = T0 + 12 * 60 * 60_000;
export const MINUTE = 60_000;
/** When Slack tries again, after its first try and each that failed. */
export const SLACK_RETRIES = [0, MINUTE, 5 * MINUTE];
export const SLACK_WAITS_MS = 3_000;
/** By then the queue has forgotten what it was sent. */
export const EVENT_LATE_MS = 400_000;
