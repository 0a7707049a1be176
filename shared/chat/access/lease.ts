import type { TurnRef } from '../../domain/index.ts';
import type { Time } from '../../runtime/time.ts';
import { ConditionFailedError, type Turns } from '../../storage/index.ts';

/** How long a claim holds. A worker that dies leaves the turn to another after this; one that lives renews it. */
export const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
/** A claim that was seen to hold so short a time ago is not looked at before a request. */
const CONFIRMED_FOR_MS = 3_000;

/** Someone else works on the turn now; nothing that this worker still does would count. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export type Lease = {
  /** Aborted with ClaimLost when the claim is someone else's, or with any reason given to `end`. */
  readonly signal: AbortSignal;
  /** Call with what a write of this worker rejected with: a fence that did not hold ends the lease. */
  readonly failed: (error: unknown) => void;
  /**
   * Called before something is paid for: where it was not seen for some seconds that the claim holds, it is renewed. Rejects with ClaimLost where
   * it is someone else's. A table that cannot be reached stops nobody.
   */
  readonly confirm: () => Promise<void>;
  /** Stops renewing. */
  readonly end: () => void;
};

/** Keeps a claim alive while its holder works. */
export function keepLease(turns: Pick<Turns, 'renew'>, turn: TurnRef, fence: number, time: Time): Lease {
  const lost = new AbortController();
  const stopped = new AbortController();
  const failed = (error: unknown): void => {
    if (error instanceof ConditionFailedError) lost.abort(new ClaimLost());
  };
  let confirmedAt = time.now();
  const renew = async (): Promise<void> => {
    const askedAt = time.now();
    // One renewal may fail for a moment; the next comes well before the claim runs out.
    try {
      await turns.renew(turn, fence, LEASE_MS);
      confirmedAt = askedAt;
    } catch (error) {
      failed(error);
    }
  };
  const keep = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await time.sleep(RENEW_MS, stopped.signal);
      await renew();
    }
  };
  keep().catch(() => undefined);
  return {
    signal: lost.signal,
    failed,
    confirm: async () => {
      if (Math.abs(time.now() - confirmedAt) > CONFIRMED_FOR_MS) await renew();
      lost.signal.throwIfAborted();
    },
    end: () => stopped.abort(new Error('the work is done')),
  };
}
