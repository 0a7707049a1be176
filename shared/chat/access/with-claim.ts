import type { ChatContext } from '../context.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { TurnClaim } from '../../storage/index.ts';
import { keepLease, LEASE_MS, type Lease } from './lease.ts';
import type { TaskResult } from '../../context/ports.ts';

/** After something failed in an unknown state, the next try begins this much later. */
const RETRY_DELAY_MS = 1_000;

export type HeldClaim = Extract<TurnClaim, { kind: 'held' }>;

/** How a turn is claimed. */
export type ClaimOptions = {
  readonly context: Pick<ChatContext, 'turns' | 'time'>;
  /**
   * The queue delivers this task again. It delivers no message of a thread while another is in flight, and whoever lives keeps theirs in
   * flight: the holder of the claim is dead, and its claim is taken over before it runs out.
   */
  readonly again: boolean;
};

/**
 * Does `work` while this process alone holds the turn. A turn that is gone is done, once `gone` has said so; one that someone else holds comes
 * back when their claim has run out. What `work` rejects with is passed on, with the claim given back, unless the claim
 * was lost.
 */
export async function withClaim(
  turn: TurnRef,
  { context, again }: ClaimOptions,
  work: (claim: HeldClaim, lease: Lease) => Promise<TaskResult>,
  gone?: () => Promise<void>,
): Promise<TaskResult> {
  const claim = await context.turns.claim(turn, LEASE_MS, again);
  if (claim.kind === 'gone') {
    await gone?.();
    return { kind: 'done' };
  }
  if (claim.kind === 'taken') {
    return { kind: 'later', afterMs: Math.max(RETRY_DELAY_MS, claim.untilMs - context.time.now()) };
  }
  const lease = keepLease(context.turns, turn, claim.fence, context.time);
  try {
    return await work(claim, lease);
  } catch (error) {
    if (lease.signal.aborted) return { kind: 'later', afterMs: RETRY_DELAY_MS };
    await context.turns.renew(turn, claim.fence, 0).catch(() => undefined);
    throw error;
  } finally {
    lease.end();
  }
}
