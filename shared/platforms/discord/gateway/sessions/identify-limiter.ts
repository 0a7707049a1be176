import { SerialQueue } from '../../../../utils/serial-queue.ts';
import type { IdentifySlots, Log, SessionSlots } from '../relay-deps.ts';
import { type Reads, UnauthorizedError } from '../rest-reads.ts';
import { errorName } from '../../../../utils/error-name.ts';

/** Sessions of a day that are left to people who have to find out what is wrong. */
export const RESERVED_SESSIONS = 50;
/** Discord takes one IDENTIFY in five seconds; after an invalid session it asks for a wait of up to five. */
const APART_MS = 6_000;
const HOUR_MS = 3_600_000;
const MAX_SLOT_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

export type IdentifyDeps = {
  readonly reads: Pick<Reads, 'gateway'>;
  readonly slots: SessionSlots;
  /** Keeps processes apart; absent where there is one alone. */
  readonly identifySlots?: IdentifySlots | undefined;
  readonly now: () => number;
  /** Waits, and lets it be known meanwhile that the relay lives. */
  readonly wait: (ms: number) => Promise<void>;
  /** The token is not valid: never resolves. */
  readonly refused: () => Promise<void>;
  readonly log: Log;
};

type Shard = { readonly id: number; readonly count: number };

/**
 * Leave to begin a session, one shard after the other. A thousand in a day, and Discord resets the token of the bot: a process that
 * fails right after it connects, again and again, gets there within hours. So Discord is asked how many are left, and an allowance of
 * our own is kept. Of the shards with the same remainder by Discord's highest concurrency one begins in six seconds.
 */
export function identifyGate(deps: IdentifyDeps): (shard: Shard) => Promise<void> {
  const { reads, slots, identifySlots, now, wait, refused, log } = deps;
  const last = new Map<number, number>();
  const ask = async ({ id, count }: Shard): Promise<boolean> => {
    const { remaining, resetAfterMs, maxConcurrency } = await reads.gateway();
    if (remaining < RESERVED_SESSIONS) {
      log.error('gateway.session-starts-low', { count: remaining, waitMs: resetAfterMs });
      await wait(Math.min(Math.max(resetAfterMs, RETRY_MS), HOUR_MS));
      return false;
    }
    const key = id % maxConcurrency;
    await wait((last.get(key) ?? Number.NEGATIVE_INFINITY) + APART_MS - now());
    if (identifySlots) {
      const turn = await identifySlots.take(key, APART_MS, MAX_SLOT_WAIT_MS);
      await wait(turn.granted ? turn.waitMs : turn.retryAfterMs);
      if (!turn.granted) return false;
    }
    const decision = await slots.take(MAX_SLOT_WAIT_MS, count);
    if (!decision.granted) log.error('gateway.identify-throttled', { waitMs: decision.retryAfterMs });
    await wait(decision.granted ? decision.waitMs : decision.retryAfterMs);
    if (decision.granted) last.set(key, now());
    return decision.granted;
  };
  const granted = async (shard: Shard): Promise<void> => {
    for (let done = false; !done;) {
      try {
        done = await ask(shard);
      } catch (error) {
        if (error instanceof UnauthorizedError) return refused();
        log.warn('gateway.session-limit-check-failed', { error: errorName(error) });
        await wait(RETRY_MS);
      }
    }
  };
  const queue = new SerialQueue();
  return (shard) => queue.run(() => granted(shard));
}
