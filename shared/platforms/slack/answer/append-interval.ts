/** What the time until the next request of a streamed answer depends on. */
export type AppendInterval = {
  /** Requests so far, at least one. */
  readonly sent: number;
  /** Answers that are being streamed in the workspace now, this one included. */
  readonly open: number;
  /** Requests of the method that Slack allows the workspace per minute. */
  readonly perMinute: number;
};

const SECOND_INTERVAL_MS = 400;
const THIRD_INTERVAL_MS = 1_700;
const EARLY_INTERVAL_MS = 1_600;
const MAX_INTERVAL_MS = 2_200;
const LATE_FROM_REQUEST = 10;
const LATE_INCREMENT_MS = 60;

/** The share of the rate limit that streams use: other methods, other processes and Slack's own clock need the rest. */
const USABLE_SHARE = 0.8;

/**
 * Time between the end of one request and the next, in ms. The first words are sent at once, the second request follows soon, and
 * the intervals grow with the answer: 100, 1,000 and 10,000 tokens at 20 ms per token take 2, 12 and about 95 requests. All open
 * answers together stay within the rate limit of the workspace.
 */
export function appendInterval({ sent, open, perMinute }: AppendInterval): number {
  const fairIntervalMs = open > 1 ? (open * 60_000) / (perMinute * USABLE_SHARE) : 0;
  return Math.ceil(Math.max(intervalAfter(sent), fairIntervalMs));
}

function intervalAfter(sent: number): number {
  if (sent === 1) return SECOND_INTERVAL_MS;
  if (sent === 2) return THIRD_INTERVAL_MS;
  if (sent <= LATE_FROM_REQUEST) return EARLY_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, EARLY_INTERVAL_MS + LATE_INCREMENT_MS * (sent - LATE_FROM_REQUEST));
}
