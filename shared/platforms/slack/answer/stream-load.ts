import type { Time } from '../../index.ts';

/** Reports how many answers this process streams in the workspace. Resolves with how many all other processes stream. */
export type ReportOpenStreams = (open: number) => Promise<number>;

/** Answers that are complete sooner are not reported. */
const MIN_REPORTED_MS = 300;
/**
 * The second report follows soon, since processes that begin together learn of each other only once all of them have reported.
 * From then on changes may be known later.
 */
const SECOND_REPORT_AFTER_MS = 1_500;
const REPORT_INTERVAL_MS = 10_000;
/** While nothing is known of other processes and Slack throttles, they count as much as this process. */
const THROTTLED_MS = 180_000;
/** How long a report of others is valid. */
const OTHERS_TTL_MS = 20_000;

/** How many answers are being streamed in a workspace: in this process and, as far as they have reported it, in others. */
export class StreamLoad {
  readonly #time: Pick<Time, 'now'>;
  readonly #report: ReportOpenStreams | undefined;
  #here = 0;
  #others = 0;
  #reportedAt = -Infinity;
  /** No report before so many ms after the last one. */
  #nextReportAfterMs = 0;
  #othersKnownAt = -Infinity;
  #throttledAt = -Infinity;

  constructor(time: Pick<Time, 'now'>, report?: ReportOpenStreams) {
    this.#time = time;
    this.#report = report;
  }

  get open(): number {
    const now = this.#time.now();
    if (now - this.#othersKnownAt < OTHERS_TTL_MS) return this.#here + this.#others;
    return now - this.#throttledAt < THROTTLED_MS ? 2 * this.#here : this.#here;
  }

  /** One more answer is streamed, until the returned function is called. */
  begin(): () => void {
    this.#here += 1;
    return () => (this.#here -= 1);
  }

  /** Slack asks to wait. */
  throttled(): void {
    this.#throttledAt = this.#time.now();
  }

  /** An answer has been streamed for so long. Reports it, soon once more, then every 10 s. Nobody waits for the report. */
  streamedFor(ms: number): void {
    const now = this.#time.now();
    const sinceReportMs = now - this.#reportedAt;
    if (!this.#report || ms < MIN_REPORTED_MS || sinceReportMs < this.#nextReportAfterMs) return;
    this.#nextReportAfterMs = sinceReportMs > OTHERS_TTL_MS ? SECOND_REPORT_AFTER_MS : REPORT_INTERVAL_MS;
    this.#reportedAt = now;
    const setOthers = (others: number): void => {
      this.#others = others;
      this.#othersKnownAt = now;
    };
    // Without the table, each process counts its own answers only; Slack then says when to wait.
    this.#report(this.#here).then(setOthers, () => undefined);
  }
}

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
