import type { ChatContext } from '../context.ts';
import type { TurnRef } from '../../domain/index.ts';
import type { TurnClaim } from '../../storage/index.ts';
import type { QueueDelivery } from '../../domain/queue-delivery.ts';
import type { PrefetchedPermit } from '../model/prefetched-permit.ts';
import type { Lease } from './lease.ts';

/** A worker that died may have left a write on its way; by then it has landed, and the answer is looked at once more. */
export const RECONCILE_AFTER_MS = 120_000;

/** One claimed turn that is being worked on. */
export type AnswerWork = {
  readonly turn: TurnRef;
  readonly claim: Extract<TurnClaim, { kind: 'held' }>;
  readonly lease: Lease;
  readonly context: ChatContext;
  readonly delivery: QueueDelivery;
  /** The right to send a first request, if it was taken beforehand. */
  readonly early?: PrefetchedPermit | undefined;
  /** The key of the last edit that the answer takes in. */
  readonly granted?: string | undefined;
};

/** Nothing of the answer can be anywhere: a process that died may have shown signs of it before it had a claim. */
export const isFirst = ({ claim, delivery }: AnswerWork): boolean =>
  claim.isFirst && delivery.afterCrash !== true;
