import type { Time } from '../../runtime/time.ts';
import type { TextMessage } from '../../i18n/index.ts';
import { formatClockTime } from '../../i18n/format-time.ts';
import { type StatusIndicator, STATUS_TEXTS } from './status-indicator.ts';

/** Waits that are over sooner pass without a word. */
const WORTH_SAYING_MS = 1_500;
/** Those who ask at once join one after the other: before this nobody knows who comes before whom. */
const SETTLED_MS = 1_500;
/** So long after a question whoever waits for its answer is told how things stand, settled or not. */
const TOLD_TIMEOUT_MS = 2_200;
/** A question that has been in the queue for longer than that: others of the same moment join within this. */
const LATE_SETTLED_MS = 400;
/** While someone waits, they are told anew this often how things stand; in a long line less often, as platforms count. */
const UPDATE_INTERVAL_MS = 5_000;
const SAY_EVERY_PER_PLACE_MS = 250;
/** What was said is corrected sooner than that if it turns out wrong by so much, and by so large a part of what is left. */
const CORRECT_FROM_MS = 1_000;
const CORRECT_FROM_PART = 0.25;
/** Longer waits are told by the clock. */
const BY_THE_CLOCK_MS = 90_000;

export type QueueStatusContext = { readonly time: Pick<Time, 'now'>; readonly zone: string | undefined };

/** Tells somebody who waits for how long, and behind how many. */
export class QueueStatus {
  readonly #thinking: Pick<StatusIndicator, 'say'> | undefined;
  readonly #context: QueueStatusContext;
  /** Nothing is said before this. */
  readonly #firstAt: number;
  #said: { readonly atMs: number; readonly endMs: number } | undefined;

  /** `askedMs`: when the question was asked, as far as that is known. */
  constructor(
    thinking: Pick<StatusIndicator, 'say'> | undefined,
    context: QueueStatusContext,
    askedMs?: number,
  ) {
    const now = context.time.now();
    this.#thinking = thinking;
    this.#context = context;
    this.#firstAt =
      askedMs === undefined
        ? now
        : Math.min(now + SETTLED_MS, Math.max(now + LATE_SETTLED_MS, askedMs + TOLD_TIMEOUT_MS));
  }

  /** It takes `ms` from now on, and `ahead` others come before. Says so if that is worth a word. */
  stands(ms: number, ahead?: number): void {
    const now = this.#context.time.now();
    if (now < this.#firstAt || ms < WORTH_SAYING_MS || !this.#isDue(now, ms, ahead)) return;
    this.#said = { atMs: now, endMs: now + ms };
    this.#thinking?.say(queueStatusText(ms, { ahead, now, zone: this.#context.zone }));
  }

  /** Whether nobody is left to be told for the first time how long it takes. */
  get told(): boolean {
    return this.silent || this.#said !== undefined;
  }

  /** Whether nobody is told anything. */
  get silent(): boolean {
    return this.#thinking === undefined;
  }

  /** How long until there is something to say (ms). */
  get quietMs(): number {
    return Math.max(0, this.#firstAt - this.#context.time.now());
  }

  /** The wait is over. */
  end(): void {
    if (this.#said) this.#thinking?.say(STATUS_TEXTS);
    this.#said = undefined;
  }

  #isDue(now: number, ms: number, ahead = 0): boolean {
    if (!this.#said) return true;
    const since = now - this.#said.atMs;
    if (since >= Math.max(UPDATE_INTERVAL_MS, ahead * SAY_EVERY_PER_PLACE_MS)) return true;
    const wrong = Math.abs(now + ms - this.#said.endMs);
    return since >= CORRECT_FROM_MS && wrong >= CORRECT_FROM_MS && wrong >= ms * CORRECT_FROM_PART;
  }
}

/** What a person is told who has to wait so long (ms); `ahead` are before them. */
export function queueStatusText(
  ms: number,
  {
    ahead,
    now,
    zone,
  }: { readonly ahead?: number | undefined; readonly now: number; readonly zone?: string | undefined },
): TextMessage {
  const first = ahead === undefined || ahead < 1;
  const place = first ? {} : { place: ahead + 1 };
  return ms < BY_THE_CLOCK_MS
    ? [
        `answers.status.${first ? 'line' : 'place'}-seconds`,
        { ...place, count: Math.max(1, Math.round(ms / 1000)) },
      ]
    : [
        `answers.status.${first ? 'line' : 'place'}-until`,
        { ...place, time: formatClockTime(now + ms, zone) },
      ];
}
