import type { ChatContext } from '../context.ts';
import type { TurnRef, TaskResult, QueueDelivery } from '../../domain/index.ts';
import { type TurnClaim, type TurnSignal, ConditionFailedError, type Turns } from '../../storage/index.ts';
import type { Time } from '../../runtime/index.ts';
import type { PrefetchedPermit } from '../model/wait-for-permit.ts';

/** Delay of a retry after a failure in an unknown state. */
const RETRY_DELAY_MS = 1_000;

/** The claim of this worker, with what is stored of the turn. */
export type HeldClaim = Extract<TurnClaim, { kind: 'held' }>;

export type ClaimOptions = {
  readonly context: { readonly turns: Pick<Turns, 'claim' | 'renew'>; readonly time: Time };
  /**
   * Whether this is a redelivery. The queue delivers one message of a thread at a time, and living workers keep theirs in
   * flight. So on a redelivery the holder of the claim is dead, and the claim is taken over before it expires.
   */
  readonly isRedelivery: boolean;
  /** Whether another process may run the same task: then the claim is checked before a request. */
  readonly mayRunTwice?: boolean | undefined;
  /** The id of the message with the task: see `Turns.claim`. */
  readonly queueMessage?: string | undefined;
};

/**
 * Runs `work` while this process holds the claim of the turn. Calls `onGone` if the turn does not exist. Returns `later` if
 * another worker holds the claim or the claim was lost; otherwise a rejection of `work` releases the claim and is rethrown.
 */
export async function withClaim(
  turn: TurnRef,
  { context, isRedelivery, mayRunTwice = isRedelivery, queueMessage }: ClaimOptions,
  work: (claim: HeldClaim, lease: Lease) => Promise<TaskResult>,
  onGone?: () => Promise<void>,
): Promise<TaskResult> {
  // Each redelivery takes the claim over.
  const confirmation = mayRunTwice ? undefined : startConfirmation(context.time);
  try {
    const claim = await context.turns.claim(turn, LEASE_MS, isRedelivery, queueMessage);
    if (claim.kind === 'gone') {
      await onGone?.();
      return { kind: 'done' };
    }
    if (claim.kind === 'taken') {
      return { kind: 'later', afterMs: Math.max(RETRY_DELAY_MS, claim.untilMs - context.time.now()) };
    }
    const lease = keepLease(context.turns, turn, { fence: claim.fence, confirmation }, context.time);
    return await workWithLease(turn, claim, lease, work, context);
  } finally {
    confirmation?.end();
  }
}

async function workWithLease(
  turn: TurnRef,
  claim: HeldClaim,
  lease: Lease,
  work: (claim: HeldClaim, lease: Lease) => Promise<TaskResult>,
  context: ClaimOptions['context'],
): Promise<TaskResult> {
  try {
    return await work(claim, lease);
  } catch (error) {
    if (lease.signal.aborted) return { kind: 'later', afterMs: RETRY_DELAY_MS };
    await releaseClaim(turn, claim, context).catch(() => undefined);
    throw error;
  } finally {
    lease.end();
  }
}

/**
 * Frees the claim at once, so that the next task of the turn need not wait until it expires. Resolves with the result `done`.
 * Rejects as the table does, or with ConditionFailedError if another worker holds the claim.
 */
export async function releaseClaim(
  turn: TurnRef,
  { fence }: Pick<HeldClaim, 'fence'>,
  { turns }: { readonly turns: Pick<Turns, 'renew'> },
): Promise<TaskResult> {
  await turns.renew(turn, fence, 0);
  return { kind: 'done' };
}

/** TTL of a claim. A living worker renews it; after a crash, another worker may claim the turn. */
export const LEASE_MS = 60_000;

const RENEWAL_INTERVAL_MS = 20_000;

/** A claim that was confirmed more recently than this is not checked before a request. */
const CONFIRMATION_TTL_MS = 3_000;

/** Another worker holds the turn; the results of this worker no longer count. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

/** A claim that is renewed until `end` is called. */
export type Lease = {
  /** Aborted with ClaimLostError when another worker holds the claim. */
  readonly signal: AbortSignal;
  /** Call with the error of a failed write: if another worker holds the claim, the lease ends. */
  readonly endIfLost: (error: unknown) => void;
  /**
   * Call before a paid request: renews the claim unless it was confirmed in the last seconds. Rejects with ClaimLostError if
   * another worker holds it, and as the table does if it is unavailable: another worker may have answered meanwhile, and an answer
   * that cannot be stored would be paid again.
   */
  readonly confirm: () => Promise<void>;
  /** Stops renewing. */
  readonly end: () => void;
};

/** A confirmation of a claim by the table. */
type Confirmation = {
  /** Whether it is at most CONFIRMATION_TTL_MS old. */
  readonly isRecent: () => boolean;
  /** Stops its timer. */
  readonly end: () => void;
};

/**
 * Call before the table is asked: if the response is slow, another worker may have taken the claim over meanwhile. The age is
 * measured by the clock and by a timer: the clock may be set back, and a timer stands still while the process is frozen.
 */
export function startConfirmation(time: Time): Confirmation {
  const startedAt = time.now();
  const ended = new AbortController();
  let isExpired = false;
  const expire = (): void => void (isExpired = true);
  time.sleep(CONFIRMATION_TTL_MS, ended.signal).then(expire, expire);
  return {
    isRecent: () => !isExpired && Math.abs(time.now() - startedAt) <= CONFIRMATION_TTL_MS,
    end: () => ended.abort(),
  };
}

/**
 * Renews a claim while its worker runs. `confirmation` began before the claim was requested. Without it, the claim counts as
 * unconfirmed: another worker may have taken it over at the same time.
 */
export function keepLease(
  turns: Pick<Turns, 'renew'>,
  turn: TurnRef,
  { fence, confirmation }: { readonly fence: number; readonly confirmation?: Confirmation | undefined },
  time: Time,
): Lease {
  const lost = new AbortController();
  const stopped = new AbortController();
  const endIfLost = (error: unknown): void => {
    if (error instanceof ConditionFailedError) lost.abort(new ClaimLostError());
  };
  let last = confirmation;
  const renew = async (): Promise<void> => {
    const next = startConfirmation(time);
    try {
      await turns.renew(turn, fence, LEASE_MS);
      last?.end();
      last = next;
    } catch (error) {
      next.end();
      endIfLost(error);
      lost.signal.throwIfAborted();
      throw error;
    }
  };
  const keep = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await time.sleep(RENEWAL_INTERVAL_MS, stopped.signal);
      // A renewal may fail: the next one comes well before the claim expires.
      await renew().catch(() => undefined);
    }
  };
  keep().catch(() => undefined);
  return {
    signal: lost.signal,
    endIfLost,
    confirm: async () => {
      if (last?.isRecent() !== true) await renew();
      lost.signal.throwIfAborted();
    },
    end: () => {
      stopped.abort(new Error('the work is done'));
      last?.end();
    },
  };
}

/** Delay of the reconcile task: by then, a late write of a dead worker has arrived. */
export const RECONCILE_AFTER_MS = 120_000;

/** A turn that this worker has claimed. */
export type ClaimedTurn = {
  readonly turn: TurnRef;
  readonly claim: HeldClaim;
  readonly lease: Lease;
  readonly context: ChatContext;
  readonly delivery: QueueDelivery;
};

/** A claimed turn to which the model writes an answer. */
export type AnswerWork = ClaimedTurn & {
  /** The permit of the first request, if one was taken in advance. */
  readonly prefetchedPermit: PrefetchedPermit | undefined;
  /** The key of the last edit that the answer includes. */
  readonly includedEdit: string | undefined;
  /** Signals that do not end this work: the tasks of these changes follow, but do not contain what this task changes. */
  readonly ignoredSignals: readonly TurnSignal[];
};

/** Whether no part of the answer can exist yet. A crashed process may have posted something before its claim. */
export const isFirstAttempt = ({ claim, delivery }: ClaimedTurn): boolean =>
  claim.isFirst && delivery.afterCrash !== true;
