/** What is known when the next piece of a streamed answer is to be sent. */
export type AppendInterval = {
  /** Pieces sent so far, at least the first. */
  readonly sent: number;
  /** Answers that are being streamed in this workspace at this moment, this one included. */
  readonly open: number;
  /** Calls of the method that the workspace has in a minute. */
  readonly perMinute: number;
};

const SECOND_PIECE_MS = 400;
const THIRD_PIECE_MS = 1_700;
const EARLY_MS = 1_600;
const LATE_MS = 2_200;
const LATE_FROM = 10;
const LATER_BY_MS = 60;

/** Other methods, other processes and Slack's own clock also want their share of the minute. */
const SHARE = 0.8;

/**
 * How long to wait, in ms, between the end of one call and the next piece. The first words go out at once, the second
 * piece soon after, and the longer the answer, the wider the steps: 100, 1,000 and 10,000 tokens at 20 ms per token
 * take 2, 12 and about 95 pieces. All open answers together stay within the workspace's minute.
 */
export function appendInterval({ sent, open, perMinute }: AppendInterval): number {
  const fair = open > 1 ? (open * 60_000) / (perMinute * SHARE) : 0;
  return Math.ceil(Math.max(step(sent), fair));
}

function step(sent: number): number {
  if (sent === 1) return SECOND_PIECE_MS;
  if (sent === 2) return THIRD_PIECE_MS;
  if (sent <= LATE_FROM) return EARLY_MS;
  return Math.min(LATE_MS, EARLY_MS + LATER_BY_MS * (sent - LATE_FROM));
}
