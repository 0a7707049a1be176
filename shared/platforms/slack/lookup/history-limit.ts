import { HistoryUnavailable } from '../../ports/platform.ts';
import { SlackRateLimited } from '../api/call.ts';
import { RetryTimeoutError } from '../api/retry.ts';

/** Shorter waits are those of every app, and are waited for. */
const MIN_LIMITED_MS = 5_000;

/**
 * What a look into Slack's history comes to; undefined where Slack asks to wait longer than there is time. Apps that are distributed
 * outside of the Marketplace may look once a minute, so that nothing waits for it.
 */
export async function unlessRateLimited<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (rateLimitOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** After how long Slack lets the app read again (ms); undefined where something else went wrong, or that is soon. */
export function rateLimitOf(error: unknown): number | undefined {
  const cause = error instanceof RetryTimeoutError ? error.cause : error;
  if (!(cause instanceof SlackRateLimited)) return undefined;
  return error === cause && cause.retryAfterMs <= MIN_LIMITED_MS ? undefined : cause.retryAfterMs;
}

/** Throws the error anew: as HistoryUnavailable where Slack lets the app read only later. */
export function throwIfRateLimited(error: unknown): never {
  const retryAfterMs = rateLimitOf(error);
  throw retryAfterMs === undefined ? error : new HistoryUnavailable('slowed', { retryAfterMs, cause: error });
}
