import { HistoryUnavailableError } from '../../ports/index.ts';
import { SlackRateLimitError } from '../api/call.ts';
import { RetryTimeoutError } from '../api/retry.ts';

/** Rate limits with shorter waits apply to every app. Their wait is accepted. */
const MAX_SHORT_WAIT_MS = 5_000;

/**
 * Runs a read of Slack's history; undefined if its rate limit asks for a longer wait than there is time. Outside of the Marketplace, apps may
 * read once a minute, so nothing waits for that.
 */
export async function readUnlessRateLimited<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (getLongRateLimitWaitMs(error) !== undefined) return undefined;
    throw error;
  }
}

/** Returns the wait of a rate limit in ms; undefined for waits of up to 5 s, which are accepted, and for other errors. */
export function getLongRateLimitWaitMs(error: unknown): number | undefined {
  const cause = error instanceof RetryTimeoutError ? error.cause : error;
  if (!(cause instanceof SlackRateLimitError)) return undefined;
  return error === cause && cause.retryAfterMs <= MAX_SHORT_WAIT_MS ? undefined : cause.retryAfterMs;
}

/** Rethrows the error, a long rate limit as HistoryUnavailableError. */
export function throwIfRateLimited(error: unknown): never {
  const retryAfterMs = getLongRateLimitWaitMs(error);
  throw retryAfterMs === undefined
    ? error
    : new HistoryUnavailableError('slowed', { retryAfterMs, cause: error });
}
