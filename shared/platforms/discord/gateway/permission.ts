import type { Log, SessionSlots } from './relay-deps.ts';
import { type Reads, Unauthorized } from './reads.ts';

/** Sessions of a day that are left to people who have to find out what is wrong. */
const RESERVE = 50;
/** Discord takes one IDENTIFY in five seconds; after an invalid session it asks for a wait of up to five. */
const APART_MS = 6_000;
const HOUR_MS = 3_600_000;
const LONGEST_SLOT_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

export type PermissionDeps = {
  readonly reads: Pick<Reads, 'sessions'>;
  readonly slots: SessionSlots;
  readonly now: () => number;
  /** Waits, and lets it be known meanwhile that the relay lives. */
  readonly wait: (ms: number) => Promise<void>;
  /** The token is not valid: never resolves. */
  readonly refused: () => Promise<void>;
  readonly log: Log;
};

/**
 * Leave to begin a session. A thousand in a day, and Discord resets the token of the bot: a process that fails right after it
 * connects, again and again, gets there within hours. So Discord is asked how many are left, and an allowance of our own is kept.
 */
export function permission(deps: PermissionDeps): () => Promise<void> {
  const { reads, slots, now, wait, refused, log } = deps;
  let last = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<boolean> => {
    const { remaining, resetAfterMs } = await reads.sessions();
    if (remaining < RESERVE) {
      log.error('gateway.budget', { count: remaining, waitMs: resetAfterMs });
      await wait(Math.min(Math.max(resetAfterMs, RETRY_MS), HOUR_MS));
      return false;
    }
    const decision = await slots.take(LONGEST_SLOT_WAIT_MS);
    if (!decision.granted) log.error('gateway.restless', { waitMs: decision.retryAfterMs });
    await wait(decision.granted ? decision.waitMs : decision.retryAfterMs);
    return decision.granted;
  };
  return async () => {
    await wait(last + APART_MS - now());
    for (let granted = false; !granted;) {
      try {
        granted = await ask();
      } catch (error) {
        if (error instanceof Unauthorized) return refused();
        log.warn('gateway.no-leave', { error: error instanceof Error ? error.name : 'unknown' });
        await wait(RETRY_MS);
      }
    }
    last = now();
  };
}
