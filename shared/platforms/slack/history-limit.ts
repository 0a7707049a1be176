import { SlackBusy } from './call.ts';
import { NotShown } from './patience.ts';

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
    if (isLimited(error)) return undefined;
    throw error;
  }
}

/** Whether Slack does not let the app read just now. */
export function isLimited(error: unknown): boolean {
  if (error instanceof NotShown) return error.cause instanceof SlackBusy;
  return error instanceof SlackBusy && error.retryAfterMs > MIN_LIMITED_MS;
}
