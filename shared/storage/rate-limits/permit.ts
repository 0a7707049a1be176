import type { Priority } from '../../rate-limits/index.ts';
import type { KeyPlace } from '../settings/workspace-keys.ts';
import type { Grant, QueuePosition } from './wait-queues.ts';

/** Who wants to send a request, and how long they would stand in line. */
export type PermitRequest = {
  readonly maxWaitMs: number;
  /** Names the request: who asks with the same id later takes up the position that is kept in the queue until its turn. */
  readonly id?: string | undefined;
  readonly priority: Priority;
  /** For which workspace or guild: it may have a key of its own. */
  readonly home?: KeyPlace | undefined;
  /** A name within the deployment, and how many times the usual share this one has. Without it no share is kept. */
  readonly person?: string | undefined;
  readonly weight?: number | undefined;
  /** When the question was asked (ms since 1970); now, unless told. */
  readonly askedMs?: number | undefined;
  /** The request goes on with an answer that has begun. */
  readonly begun?: boolean | undefined;
};

/** The right to send one request by the key of that name. */
export type RequestPermit = { readonly key: string } & Grant;

/** A position in the wait queue of the key of that name. */
export type PermitPosition = { readonly key: string; readonly place: QueuePosition };

export type PermitDecision =
  /** The request may be sent now. */
  | { readonly kind: 'granted'; readonly permit: RequestPermit }
  /** Waits in the queue, behind `ahead` others. To be polled again after `waitMs` at the latest. */
  | {
      readonly kind: 'waiting';
      readonly place: PermitPosition;
      readonly waitMs: number;
      readonly ahead: number;
    }
  /** Nothing was taken. Worth asking again after `retryAfterMs`, not sooner. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/** How a position in the queue stands. */
export type Waiting = { readonly waitMs: number; readonly ahead: number };
