import type { ChatContext } from '../context.ts';
import type { TurnRef, QueueDelivery } from '../../domain/index.ts';
import type { TurnClaim } from '../../storage/index.ts';
import type { PrefetchedPermit } from '../model/prefetched-permit.ts';
import type { Lease } from './lease.ts';

/** Delay of the reconcile task: by then, a late write of a dead worker has arrived. */
export const RECONCILE_AFTER_MS = 120_000;

/** A claimed turn in progress. */
export type AnswerWork = {
  readonly turn: TurnRef;
  readonly claim: Extract<TurnClaim, { kind: 'held' }>;
  readonly lease: Lease;
  readonly context: ChatContext;
  readonly delivery: QueueDelivery;
  /** The prefetched permit of the first request. */
  readonly prefetchedPermit?: PrefetchedPermit | undefined;
  /** The key of the last edit that the answer includes. */
  readonly includedEdit?: string | undefined;
};

/** Whether no part of the answer can exist yet. A crashed process may have posted something before its claim. */
export const isFirst = ({ claim, delivery }: AnswerWork): boolean =>
  claim.isFirst && delivery.afterCrash !== true;
