import type { RelayDeps } from './relay-deps.ts';
import { backoffMs, retry, type RetryRule } from '../../../utils/retry.ts';
import { errorName } from '../../../utils/error-name.ts';

/** Waits between tries: doubled with each, up to half a minute. */
const BACKOFF = { firstMs: 250, maxMs: 30_000 };

export type Patience = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of each failure; to go on, or to give up. */
  readonly failed: (error: unknown, attempt: number) => 'again' | 'give-up';
};

/** Tries for what will not succeed anyway. */
const HOPELESS_TRIES = 3;

/** Patience for work of that name; one that may give up does so where an error will be the same next time. */
export function retryOptions(
  what: string,
  { sleep, hopeless, log }: Pick<RelayDeps, 'sleep' | 'hopeless' | 'log'>,
  mayGiveUp = false,
): Patience {
  const failed = (error: unknown, attempt: number): 'again' | 'give-up' => {
    const over = mayGiveUp && attempt >= HOPELESS_TRIES && hopeless(error);
    const facts = { kind: what, attempt, error: errorName(error) };
    if (over) log.error('gateway.given-up', facts);
    else log.warn('gateway.retried', facts);
    return over ? 'give-up' : 'again';
  };
  return { sleep, failed };
}

/** Does something until it succeeds, or until `failed` gives up: undefined then. Never rejects. */
export async function retryForever<T>(
  work: () => Promise<T>,
  { sleep, failed }: Patience,
): Promise<T | undefined> {
  const rule: RetryRule = (error, attempt) =>
    failed(error, attempt) === 'give-up' ? undefined : backoffMs(attempt, BACKOFF);
  return retry(work, rule, sleep).catch(() => undefined);
}
