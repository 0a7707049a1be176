import type { Time } from '../../runtime/index.ts';
import { type TextMessage, formatClockTime } from '../../i18n/index.ts';
import { type StatusIndicator, THINKING_STATUS } from './progress-display.ts';

/** Shorter waits are not shown. */
const MIN_SHOWN_WAIT_MS = 1_500;
/** Questions of the same moment join the queue one after the other: before this their order is not settled. */
const SETTLED_AFTER_MS = 1_500;
/** So long after a question its status is shown, whether the order is settled or not. */
const FIRST_STATUS_TIMEOUT_MS = 2_200;
/** The same for a question that has been in the queue for longer than that. */
const LATE_SETTLED_AFTER_MS = 400;
/** The status is updated this often; less often in a long queue, since platforms limit requests. */
const UPDATE_INTERVAL_MS = 5_000;
const UPDATE_INTERVAL_PER_PLACE_MS = 250;
/** A status that is wrong by so much, and by this share of the wait, is corrected sooner. */
const MIN_CORRECTION_MS = 1_000;
const MIN_CORRECTION_SHARE = 0.25;
/** Longer waits are shown as a time of day. */
const MAX_WAIT_IN_SECONDS_MS = 90_000;
/** Shorter waits for a busy model are shown without a number of seconds. */
export const MIN_COUNTDOWN_MS = 3_000;

export type WaitStatusContext = { readonly time: Pick<Time, 'now'>; readonly zone: string | undefined };

/** Shows a waiting person how long the wait is, and how many questions are ahead. */
export class WaitStatus {
  readonly #statusIndicator: Pick<StatusIndicator, 'show'> | undefined;
  readonly #context: WaitStatusContext;
  /** Nothing is shown before this. */
  readonly #firstAt: number;
  #displayedWait: { readonly atMs: number; readonly endMs: number } | undefined;

  /** `requestedAtMs`: when the question was asked (ms since 1970), if known. */
  constructor(
    statusIndicator: Pick<StatusIndicator, 'show'> | undefined,
    context: WaitStatusContext,
    requestedAtMs?: number,
  ) {
    const now = context.time.now();
    this.#statusIndicator = statusIndicator;
    this.#context = context;
    this.#firstAt =
      requestedAtMs === undefined
        ? now
        : Math.min(
            now + SETTLED_AFTER_MS,
            Math.max(now + LATE_SETTLED_AFTER_MS, requestedAtMs + FIRST_STATUS_TIMEOUT_MS),
          );
  }

  /** The wait takes `ms` from now on, behind `ahead` questions. Shows it if it is long enough and differs from what is shown. */
  update(ms: number, ahead?: number): void {
    const now = this.#context.time.now();
    if (now < this.#firstAt || ms < MIN_SHOWN_WAIT_MS || !this.#isDue(now, ms, ahead)) return;
    this.#displayedWait = { atMs: now, endMs: now + ms };
    this.#statusIndicator?.show(formatQueueWait(ms, { ahead, now, zone: this.#context.zone }));
  }

  /** Whether the person has seen a status, or nobody is to see one. */
  get isSettled(): boolean {
    return this.isSilent || this.#displayedWait !== undefined;
  }

  /** Whether nobody sees a status. */
  get isSilent(): boolean {
    return this.#statusIndicator === undefined;
  }

  /** Time until the first status, in ms. */
  get untilFirstStatusMs(): number {
    return Math.max(0, this.#firstAt - this.#context.time.now());
  }

  /** The wait is over. */
  end(): void {
    if (this.#displayedWait) this.#statusIndicator?.show(THINKING_STATUS);
    this.#displayedWait = undefined;
  }

  #isDue(now: number, ms: number, ahead = 0): boolean {
    if (!this.#displayedWait) return true;
    const since = now - this.#displayedWait.atMs;
    if (since >= Math.max(UPDATE_INTERVAL_MS, ahead * UPDATE_INTERVAL_PER_PLACE_MS)) return true;
    const wrong = Math.abs(now + ms - this.#displayedWait.endMs);
    return since >= MIN_CORRECTION_MS && wrong >= MIN_CORRECTION_MS && wrong >= ms * MIN_CORRECTION_SHARE;
  }
}

/** The status of a wait of `ms` behind `ahead` questions. */
export function formatQueueWait(
  ms: number,
  {
    ahead,
    now,
    zone,
  }: { readonly ahead?: number | undefined; readonly now: number; readonly zone?: string | undefined },
): TextMessage {
  const isFirst = ahead === undefined || ahead < 1;
  const place = isFirst ? {} : { place: ahead + 1 };
  return ms < MAX_WAIT_IN_SECONDS_MS
    ? [
        `answers.status.${isFirst ? 'line' : 'place'}-seconds`,
        { ...place, count: Math.max(1, Math.round(ms / 1000)) },
      ]
    : [
        `answers.status.${isFirst ? 'line' : 'place'}-until`,
        { ...place, time: formatClockTime(now + ms, zone) },
      ];
}

/** Returns the status for a wait (ms) for a busy model. */
export function formatModelBusy(ms: number, now: number, zone: string | undefined): TextMessage {
  if (ms < MIN_COUNTDOWN_MS) return ['answers.status.full'];
  return ms < MAX_WAIT_IN_SECONDS_MS
    ? ['answers.status.full-seconds', { count: Math.ceil(ms / 1000) }]
    : ['answers.status.full-until', { time: formatClockTime(now + ms, zone) }];
}
