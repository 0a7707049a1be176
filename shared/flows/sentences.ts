import { type Locale, say } from '../texts/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream/index.ts';
import { clockTime, fullMinute } from './moments.ts';
import { OverBudget } from './spending.ts';
import { ModelsFull, NoSlot } from './no-slot.ts';

/** What a person is told when there is no answer: what happened, and what to do. */
export type Failure = {
  readonly reason: UpstreamErrorKind | 'no-slot' | 'over-budget';
  readonly sentence: string;
  /** Set when waiting helps: the question then goes back into the line by itself. */
  readonly retryAfterMs?: number;
  /** A connection or an answer broke off, or the server is in trouble: asked again, it may work. */
  readonly brokeOff?: boolean;
};

/** When and to whom something is explained. */
export type Listener = {
  readonly now: number;
  readonly zone?: string | undefined;
  readonly locale: Locale;
};

const BREAKS: ReadonlySet<UpstreamErrorKind> = new Set(['server', 'connection', 'timeout', 'cut']);
/** How long to wait when the model is full and does not say for how long. */
const FULL_MS = 15_000;
/** A full model is asked again after this at the soonest. */
const SOON_MS = 1_000;
/** A longer wait is told by the clock. */
const SHORT_MS = 60_000;

/** What to tell a person of this failure, or undefined if it is not the model's. */
export function explain(error: unknown, listener: Listener): Failure | undefined {
  const { locale } = listener;
  if (error instanceof NoSlot) {
    const { retryAfterMs } = error;
    const sentence = waiting('rate-limited', retryAfterMs, listener);
    return { reason: 'no-slot', sentence, retryAfterMs };
  }
  if (error instanceof ModelsFull) {
    const retryAfterMs = Math.max(SOON_MS, error.retryAfterMs);
    const sentence = waiting('at-capacity', retryAfterMs, listener);
    return { reason: 'at-capacity', sentence, retryAfterMs };
  }
  if (error instanceof OverBudget) return { reason: 'over-budget', sentence: overBudget(error, locale) };
  if (!(error instanceof UpstreamError)) return undefined;
  const { kind: reason, retryAfterMs = FULL_MS } = error;
  if (reason === 'at-capacity' || reason === 'rate-limited') {
    return { reason, sentence: waiting(reason, retryAfterMs, listener), retryAfterMs };
  }
  const why = isTooLong(error) ? 'too-long' : reason;
  const brokeOff = BREAKS.has(reason) && error.code !== 'certificate';
  return { reason, sentence: say(locale, `answers.failure.${why}`), brokeOff };
}

function waiting(
  why: 'rate-limited' | 'at-capacity',
  afterMs: number,
  { now, zone, locale }: Listener,
): string {
  if (afterMs <= SHORT_MS) return say(locale, `answers.failure.${why}`);
  return say(locale, `answers.failure.${why}-at`, { time: clockTime(fullMinute(now + afterMs), zone) });
}

/** Whether the prompt, and what may be answered, were more than the model takes in. */
export function isTooLong(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'context_length_exceeded';
}

/** A budget is used up: until when, and who can raise it. */
function overBudget({ budget, until, zone }: OverBudget, locale: Locale): string {
  if (!budget || until === undefined) return say(locale, 'answers.budget.blocked');
  const { scope, period } = budget;
  const over = say(locale, 'answers.budget.over', { scope, period, time: clockTime(until, zone) });
  const who = say(locale, `answers.budget.${scope === 'deployment' ? 'owner' : 'admin'}`);
  return locale === 'ja' || locale === 'zh' ? `${over}${who}` : `${over} ${who}`;
}
