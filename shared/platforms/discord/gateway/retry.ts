import type { RelayDeps } from './relay-deps.ts';
import { backoffMs, retry, type RetryRule, getErrorFacts } from '../../../utils/index.ts';

/** The wait before a retry doubles each time, up to half a minute. */
const BACKOFF = { firstMs: 250, maxMs: 30_000 };

export type RelayRetryOptions = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with each failure. Decides whether to retry. */
  readonly onFailure: (error: unknown, attempt: number) => 'retry' | 'give-up';
};

/** An event that fails permanently is given up after this many attempts. */
const MAX_PERMANENT_FAILURES = 3;

/** What the work is about: the log has it, so that an event that was given up can be found. */
type EventPlace = { readonly channel: string; readonly message?: string | undefined };

/**
 * Returns the retry options for work of this name, which the log shows with the `place`. With `mayGiveUp`, permanent errors
 * are retried only a few times.
 */
export function retryOptions(
  name: string,
  { sleep, isPermanentError, log }: Pick<RelayDeps, 'sleep' | 'isPermanentError' | 'log'>,
  { mayGiveUp = false, place }: { readonly mayGiveUp?: boolean; readonly place?: EventPlace } = {},
): RelayRetryOptions {
  const onFailure = (error: unknown, attempt: number): 'retry' | 'give-up' => {
    const isOver = mayGiveUp && attempt >= MAX_PERMANENT_FAILURES && isPermanentError(error);
    const facts = { kind: name, attempt, ...place, ...getErrorFacts(error) };
    if (isOver) log.error('gateway.given-up', facts);
    else log.warn('gateway.retried', facts);
    return isOver ? 'give-up' : 'retry';
  };
  return { sleep, onFailure };
}

/** Retries the work until it succeeds, or until `onFailure` gives up: then resolves with undefined. Never rejects. */
export async function retryForever<T>(
  work: () => Promise<T>,
  { sleep, onFailure }: RelayRetryOptions,
): Promise<T | undefined> {
  const rule: RetryRule = (error, attempt) =>
    onFailure(error, attempt) === 'give-up' ? undefined : backoffMs(attempt, BACKOFF);
  return retry(work, rule, sleep).catch(() => undefined);
}
