import type { TurnRef } from '../../domain/index.ts';
import type { Time } from '../../runtime/index.ts';
import { ConditionFailedError, type Turns } from '../../storage/index.ts';

/** TTL of a claim. A living worker renews it; after a crash, another worker may claim the turn. */
export const LEASE_MS = 60_000;
const RENEWAL_INTERVAL_MS = 20_000;
/** A claim that was confirmed more recently than this is not checked before a request. */
const CONFIRMATION_TTL_MS = 3_000;

/** Another worker holds the turn; the results of this worker no longer count. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

export type Lease = {
  /** Aborted with ClaimLostError when another worker holds the claim. */
  readonly signal: AbortSignal;
  /** Call with the error of a failed write: a failed fence ends the lease. */
  readonly failed: (error: unknown) => void;
  /**
   * Call before a paid request: renews the claim unless it was confirmed in the last seconds. Rejects with ClaimLostError if
   * another worker holds it. Ignores an unavailable table.
   */
  readonly confirm: () => Promise<void>;
  /** Stops renewing. */
  readonly end: () => void;
};

/**
 * Renews a claim while its worker runs. `isContested`: another worker may have taken the claim over at the same time, so it
 * counts as unconfirmed.
 */
export function keepLease(
  turns: Pick<Turns, 'renew'>,
  turn: TurnRef,
  { fence, isContested = false }: { readonly fence: number; readonly isContested?: boolean },
  time: Time,
): Lease {
  const lost = new AbortController();
  const stopped = new AbortController();
  const failed = (error: unknown): void => {
    if (error instanceof ConditionFailedError) lost.abort(new ClaimLostError());
  };
  let confirmedAt = isContested ? -Infinity : time.now();
  const renew = async (): Promise<void> => {
    const requestedAt = time.now();
    // A renewal may fail: the next one comes well before the claim expires.
    try {
      await turns.renew(turn, fence, LEASE_MS);
      confirmedAt = requestedAt;
    } catch (error) {
      failed(error);
    }
  };
  const keep = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await time.sleep(RENEWAL_INTERVAL_MS, stopped.signal);
      await renew();
    }
  };
  keep().catch(() => undefined);
  return {
    signal: lost.signal,
    failed,
    confirm: async () => {
      if (Math.abs(time.now() - confirmedAt) > CONFIRMATION_TTL_MS) await renew();
      lost.signal.throwIfAborted();
    },
    end: () => stopped.abort(new Error('the work is done')),
  };
}
