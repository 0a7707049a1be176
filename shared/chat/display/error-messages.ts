import { AllModelsBusyError, RateLimitExceededError } from '../../rate-limits/index.ts';
import {
  type Locale,
  localize,
  formatClockTime,
  formatCommandName,
  formatMomentInZone,
  quotaLabel,
  roundUpToMinute,
} from '../../i18n/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../../upstream/index.ts';
import { BudgetExceededError } from '../../billing/index.ts';

/** What a person reads when there is no answer: what happened, and what they can do. */
export type FailureDescription = {
  readonly reason: UpstreamErrorKind | 'no-slot' | 'over-budget';
  readonly sentence: string;
  /** Set if waiting helps: the question is then enqueued again. */
  readonly retryAfterMs?: number;
  /** The connection was interrupted, or the server failed: a retry may succeed. */
  readonly isInterrupted?: boolean;
};

/** For whom, and when, a message is written. */
export type MessageRecipient = {
  /** ms since 1970. */
  readonly now: number;
  /** The IANA time zone of the times in it. Default: UTC. */
  readonly zone?: string | undefined;
  readonly locale: Locale;
  /** The service that failed, if it is not the model that answers questions: its limits have texts of their own. */
  readonly service?: 'video' | 'speech';
};

const UNAVAILABLE_KINDS: ReadonlySet<UpstreamErrorKind> = new Set(['server', 'connection', 'timeout', 'cut']);
/** The wait for a model at capacity that names none. */
const DEFAULT_RETRY_AFTER_MS = 15_000;
/** The shortest wait for models at capacity. */
const MIN_RETRY_AFTER_MS = 1_000;
/** A longer wait is shown as a time of day. */
const MAX_UNTIMED_WAIT_MS = 60_000;
/** A time that is so far away is shown with its day. */
const HALF_DAY_MS = 12 * 60 * 60_000;

/** The message for a failure of a model, a rate limit or a budget; undefined for other errors. */
export function describeFailure(error: unknown, recipient: MessageRecipient): FailureDescription | undefined {
  const { locale } = recipient;
  if (error instanceof RateLimitExceededError) {
    const { retryAfterMs } = error;
    const sentence = describeWait('rate-limited', retryAfterMs, recipient);
    return { reason: 'no-slot', sentence, retryAfterMs };
  }
  if (error instanceof AllModelsBusyError) {
    const retryAfterMs = Math.max(MIN_RETRY_AFTER_MS, error.retryAfterMs);
    const sentence = describeWait('at-capacity', retryAfterMs, recipient);
    return { reason: 'at-capacity', sentence, retryAfterMs };
  }
  if (error instanceof BudgetExceededError)
    return { reason: 'over-budget', sentence: describeExceededBudget(error, locale) };
  if (!(error instanceof UpstreamError)) return undefined;
  const { kind, retryAfterMs = DEFAULT_RETRY_AFTER_MS } = error;
  // A page of a firewall or proxy says nothing about the key or the question.
  const reason = error.code === 'html' ? 'malformed' : kind;
  if (reason === 'at-capacity' || reason === 'rate-limited') {
    return { reason, sentence: describeWait(reason, retryAfterMs, recipient), retryAfterMs };
  }
  // The filter rejects questions too, with this code as Azure OpenAI sends it.
  if (error.code === 'content_filter') return { reason, sentence: localize(locale, 'answers.filtered') };
  const why = isTooLong(error) ? 'too-long' : reason;
  const isInterrupted = UNAVAILABLE_KINDS.has(reason) && error.code !== 'certificate';
  return { reason, sentence: localize(locale, `answers.failure.${why}`), isInterrupted };
}

/** The message for a limit that passes: after a long wait with the time of day, or of another day. */
function describeWait(
  reason: 'rate-limited' | 'at-capacity',
  afterMs: number,
  { now, zone, locale, service }: MessageRecipient,
): string {
  const why = service === undefined ? reason : (`limited.${service}` as const);
  if (afterMs <= MAX_UNTIMED_WAIT_MS) return localize(locale, `answers.failure.${why}`);
  const at = roundUpToMinute(now + afterMs);
  // The limits of a day can name a time of tomorrow.
  const time =
    afterMs < HALF_DAY_MS ? formatClockTime(at, zone) : formatMomentInZone(at, zone ?? 'UTC', locale);
  return localize(locale, `answers.failure.${why}-at`, { time });
}

/** Whether prompt and possible answer exceed the context of the model. */
export function isTooLong(error: unknown): boolean {
  return error instanceof UpstreamError && error.code === 'context_length_exceeded';
}

/** The message for a budget that does not allow a request: until when, and who can raise it, with the command as the platform shows it. */
function describeExceededBudget(
  { budget, until, zone, platform, shortage }: BudgetExceededError,
  locale: Locale,
): string {
  const command = formatCommandName(quotaLabel, { platform, locale });
  if (!budget || until === undefined) return localize(locale, 'answers.budget.blocked', { command });
  const { scope, period } = budget;
  if (shortage === 'held') return localize(locale, 'answers.budget.held', { scope, period });
  const over = localize(locale, `answers.budget.${shortage}`, {
    scope,
    period,
    time: formatClockTime(until, zone),
  });
  const who =
    scope === 'deployment'
      ? localize(locale, 'answers.budget.owner')
      : localize(locale, 'answers.budget.admin', { command });
  return locale === 'ja' || locale === 'zh' ? `${over}${who}` : `${over} ${who}`;
}
