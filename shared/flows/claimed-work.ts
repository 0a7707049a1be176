import type { TurnRef } from '../conversation/index.ts';
import type { Claim } from '../store/index.ts';
import type { Delivery } from './delivery.ts';
import type { EarlySlot } from './early-slot.ts';
import type { Lease } from './lease.ts';
import type { Deps } from './ports.ts';

/** A worker that died may have left a write on its way; by then it has landed, and the answer is looked at once more. */
export const RECONCILE_AFTER_MS = 120_000;

/** One claimed turn that is being worked on. */
export type Work = {
  readonly turn: TurnRef;
  readonly claim: Extract<Claim, { kind: 'held' }>;
  readonly lease: Lease;
  readonly deps: Deps;
  readonly delivery: Delivery;
  /** The right to send a first request, if it was taken beforehand. */
  readonly early?: EarlySlot | undefined;
  /** The key of the last edit that the answer takes in. */
  readonly granted?: string | undefined;
};

/** Nothing of the answer can be anywhere: a process that died may have shown signs of it before it had a claim. */
export const isFirst = ({ claim, delivery }: Work): boolean => claim.isFirst && delivery.afterCrash !== true;
