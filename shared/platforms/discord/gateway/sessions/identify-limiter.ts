import { SerialQueue, getErrorFacts } from '../../../../utils/index.ts';
import type { IdentifyLimit, Log, SessionLimit } from '../relay-deps.ts';
import { type GatewayReads, UnauthorizedError } from '../rest-reads.ts';

/** Sessions of a day that stay reserved for the operator's investigation. */
export const RESERVED_SESSIONS = 50;
/** Discord accepts one IDENTIFY in five seconds, and asks for a wait of up to five after an invalid session. */
const IDENTIFY_INTERVAL_MS = 6_000;
const HOUR_MS = 3_600_000;
const MAX_PERMIT_WAIT_MS = 60_000;
const RETRY_MS = 5_000;

export type IdentifyDeps = {
  readonly reads: Pick<GatewayReads, 'gateway'>;
  readonly sessionLimit: SessionLimit;
  /** Limits all processes together; absent for a single process. */
  readonly identifyLimit?: IdentifyLimit | undefined;
  readonly now: () => number;
  /** Waits, and reports meanwhile that the relay is alive. */
  readonly wait: (ms: number) => Promise<void>;
  /** Called when the token is invalid. Never resolves. */
  readonly onInvalidToken: () => Promise<void>;
  readonly log: Log;
};

type Shard = { readonly id: number; readonly count: number };

/**
 * Creates the limiter for IDENTIFY, one shard after the other. After a thousand sessions in a day, Discord resets the bot token; a process that
 * fails right after it connects would reach that within hours. So Discord's remaining starts and a limit of our own are checked. Of the
 * shards whose ids have the same remainder modulo Discord's maximum concurrency, one starts every six seconds.
 */
export function createIdentifyLimiter(deps: IdentifyDeps): (shard: Shard) => Promise<void> {
  const { reads, sessionLimit, identifyLimit, now, wait, onInvalidToken, log } = deps;
  const lastGrantedAt = new Map<number, number>();
  const tryIdentify = async ({ id, count }: Shard): Promise<boolean> => {
    const { remaining, resetAfterMs, maxConcurrency } = await reads.gateway();
    if (remaining < RESERVED_SESSIONS) {
      log.error('gateway.session-starts-low', { count: remaining, waitMs: resetAfterMs });
      await wait(Math.min(Math.max(resetAfterMs, RETRY_MS), HOUR_MS));
      return false;
    }
    const key = id % maxConcurrency;
    await wait((lastGrantedAt.get(key) ?? Number.NEGATIVE_INFINITY) + IDENTIFY_INTERVAL_MS - now());
    if (identifyLimit) {
      const permit = await identifyLimit.take(key, IDENTIFY_INTERVAL_MS, MAX_PERMIT_WAIT_MS);
      await wait(permit.granted ? permit.waitMs : permit.retryAfterMs);
      if (!permit.granted) return false;
    }
    const decision = await sessionLimit.take(MAX_PERMIT_WAIT_MS, count);
    if (!decision.granted) log.error('gateway.identify-throttled', { waitMs: decision.retryAfterMs });
    await wait(decision.granted ? decision.waitMs : decision.retryAfterMs);
    if (decision.granted) lastGrantedAt.set(key, now());
    return decision.granted;
  };
  const identify = async (shard: Shard): Promise<void> => {
    for (let isGranted = false; !isGranted;) {
      try {
        isGranted = await tryIdentify(shard);
      } catch (error) {
        if (error instanceof UnauthorizedError) return onInvalidToken();
        log.warn('gateway.session-limit-check-failed', getErrorFacts(error));
        await wait(RETRY_MS);
      }
    }
  };
  const queue = new SerialQueue();
  return (shard) => queue.run(() => identify(shard));
}
