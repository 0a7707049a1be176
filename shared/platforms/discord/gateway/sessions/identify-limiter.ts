import { SerialQueue } from '../../../../utils/serial-queue.ts';
import type { IdentifySlots, Log, SessionSlots } from '../relay-deps.ts';
import { type Reads, UnauthorizedError } from '../rest-reads.ts';
import { errorName } from '../../../../utils/error-name.ts';

/** Sessions of a day that stay reserved for the operator's investigation. */
export const RESERVED_SESSIONS = 50;
/** Discord accepts one IDENTIFY in five seconds, and asks for a wait of up to five after an invalid session. */
const APART_MS = 6_000;
const HOUR_MS = 3_600_000;
const MAX_SLOT_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

export type IdentifyDeps = {
  readonly reads: Pick<Reads, 'gateway'>;
  readonly slots: SessionSlots;
  /** Limits all processes together; absent for a single process. */
  readonly identifySlots?: IdentifySlots | undefined;
  readonly now: () => number;
  /** Waits, and reports meanwhile that the relay is alive. */
  readonly wait: (ms: number) => Promise<void>;
  /** Called when the token is invalid. Never resolves. */
  readonly refused: () => Promise<void>;
  readonly log: Log;
};

type Shard = { readonly id: number; readonly count: number };

/**
 * Creates the limiter for IDENTIFY, one shard after the other. After a thousand sessions in a day, Discord resets the bot token; a process that
 * fails right after it connects would reach that within hours. So Discord's remaining starts and a limit of our own are checked. Of the
 * shards whose ids have the same remainder modulo Discord's maximum concurrency, one starts every six seconds.
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
