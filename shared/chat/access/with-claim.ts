import type { ChatContext } from '../context.ts';
import type { TurnRef, TaskResult } from '../../domain/index.ts';
import type { TurnClaim } from '../../storage/index.ts';
import { keepLease, LEASE_MS, type Lease } from './lease.ts';

/** Delay of a retry after a failure in an unknown state. */
const RETRY_DELAY_MS = 1_000;

export type HeldClaim = Extract<TurnClaim, { kind: 'held' }>;

export type ClaimOptions = {
  readonly context: Pick<ChatContext, 'turns' | 'time'>;
  /**
   * Whether this is a redelivery. The queue delivers one message of a thread at a time, and living workers keep theirs in
   * flight. So on a redelivery the holder of the claim is dead, and the claim is taken over before it expires.
   */
  readonly again: boolean;
};

/**
 * Runs `work` while this process holds the claim of the turn. Calls `gone` if the turn does not exist. Returns `later` if
 * another worker holds the claim or the claim was lost; otherwise a rejection of `work` releases the claim and is rethrown.
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
  // A redelivered message may be delivered twice, and each delivery takes the claim over.
  const lease = keepLease(context.turns, turn, { fence: claim.fence, isContested: again }, context.time);
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
