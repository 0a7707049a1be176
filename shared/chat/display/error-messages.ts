import { type Locale, localize } from '../../i18n/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../../upstream/index.ts';
import { formatClockTime, ceilToMinute } from '../../i18n/format-time.ts';
import { BudgetExceeded } from '../../billing/budget-service.ts';
import { AllModelsBusyError, RateLimitExceededError } from '../../rate-limits/errors.ts';

/** What a person is told when there is no answer: what happened, and what to do. */
export type FailureDescription = {
  readonly reason: UpstreamErrorKind | 'no-slot' | 'over-budget';
  readonly sentence: string;
  /** Set when waiting helps: the question then goes back into the line by itself. */
  readonly retryAfterMs?: number;
  /** A connection or an answer broke off, or the server is in trouble: asked again, it may work. */
  readonly brokeOff?: boolean;
};

/** When and to whom something is explained. */
export type MessageRecipient = {
  readonly now: number;
  readonly zone?: string | undefined;
  readonly locale: Locale;
};

const UNAVAILABLE_KINDS: ReadonlySet<UpstreamErrorKind> = new Set(['server', 'connection', 'timeout', 'cut']);
/** How long to wait when the model is full and does not say for how long. */
const FULL_MS = 15_000;
/** A full model is asked again after this at the soonest. */
const SOON_MS = 1_000;
/** A longer wait is told by the clock. */
const SHORT_MS = 60_000;

/** What to tell a person of this failure, or undefined if it is not the model's. */
export function describeFailure(error: unknown, listener: MessageRecipient): FailureDescription | undefined {
  const { locale } = listener;
  if (error instanceof RateLimitExceededError) {
    const { retryAfterMs } = error;
    const sentence = waiting('rate-limited', retryAfterMs, listener);
    return { reason: 'no-slot', sentence, retryAfterMs };
  }
  if (error instanceof AllModelsBusyError) {
    const retryAfterMs = Math.max(SOON_MS, error.retryAfterMs);
    const sentence = waiting('at-capacity', retryAfterMs, listener);
    return { reason: 'at-capacity', sentence, retryAfterMs };
  }
  if (error instanceof BudgetExceeded) return { reason: 'over-budget', sentence: overBudget(error, locale) };
  if (!(error instanceof UpstreamError)) return undefined;
  const { kind: reason, retryAfterMs = FULL_MS } = error;
  if (reason === 'at-capacity' || reason === 'rate-limited') {
    return { reason, sentence: waiting(reason, retryAfterMs, listener), retryAfterMs };
  }
  const why = isTooLong(error) ? 'too-long' : reason;
  const brokeOff = UNAVAILABLE_KINDS.has(reason) && error.code !== 'certificate';
  return { reason, sentence: localize(locale, `answers.failure.${why}`), brokeOff };
}

function waiting(
  why: 'rate-limited' | 'at-capacity',
  afterMs: number,
  { now, zone, locale }: MessageRecipient,
): string {
  if (afterMs <= SHORT_MS) return localize(locale, `answers.failure.${why}`);
  return localize(locale, `answers.failure.${why}-at`, {
    time: formatClockTime(ceilToMinute(now + afterMs), zone),
  });
}

/** Whether the prompt, and what may be answered, were more than the model takes in. */
export function isTooLong(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'context_length_exceeded';
}

/** A budget is used up: until when, and who can raise it. */
function overBudget({ budget, until, zone }: BudgetExceeded, locale: Locale): string {
  if (!budget || until === undefined) return localize(locale, 'answers.budget.blocked');
  const { scope, period } = budget;
  const over = localize(locale, 'answers.budget.over', { scope, period, time: formatClockTime(until, zone) });
  const who = localize(locale, `answers.budget.${scope === 'deployment' ? 'owner' : 'admin'}`);
  return locale === 'ja' || locale === 'zh' ? `${over}${who}` : `${over} ${who}`;
}
