import type { EndpointFamily, Priority, RateLimit } from '../../rate-limits/index.ts';
import type { KeyPlace } from '../settings/workspace-keys.ts';
import type { Grant, QueuePosition } from './queue-position.ts';
import type { TokenBuckets } from './token-buckets.ts';

/** A request for a permit, and how long it would wait in the queue. */
export type PermitRequest = {
  readonly maxWaitMs: number;
  /** The id of the request: a later request with this id gets the queue position that was kept for it. */
  readonly id?: string | undefined;
  readonly priority: Priority;
  /** The workspace or guild, which may have its own key. */
  readonly home?: KeyPlace | undefined;
  /** The person for fair sharing, unique within the deployment. Without it, no share is stored. */
  readonly person?: string | undefined;
  readonly weight?: number | undefined;
  /** When the question was asked (ms since 1970); default: now. */
  readonly requestedAtMs?: number | undefined;
  /** The request continues an answer that has started. */
  readonly isContinuation?: boolean | undefined;
};

/** A permit to send one request with the key of that name. */
export type RequestPermit = { readonly key: string } & Grant;

/** A position in the wait queue of the key of that name. */
export type PermitPosition = { readonly key: string; readonly position: QueuePosition };

export type PermitDecision =
  /** The request may be sent now. */
  | { readonly kind: 'granted'; readonly permit: RequestPermit }
  /** The request waits in the queue behind `ahead` others. Poll again after at most `waitMs`. */
  | {
      readonly kind: 'waiting';
      readonly place: PermitPosition;
      readonly waitMs: number;
      readonly ahead: number;
    }
  /** Nothing was reserved. Retry after `retryAfterMs`. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number };

/** The status of a queue position. */
export type QueueStatus = { readonly waitMs: number; readonly ahead: number };

/** What a response said about rate limits. */
export type RateLimitFeedback = {
  readonly status: number;
  readonly code?: string | undefined;
  readonly remaining?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly sentMs: number;
};

export type KeyRateLimiterConfig = {
  readonly buckets: TokenBuckets;
  readonly family: EndpointFamily;
  readonly limit: RateLimit;
  /** Returns the names of the usable keys; any of them will do. */
  readonly keys: (home?: KeyPlace) => Promise<readonly string[]>;
  readonly now: () => number;
  /** In [0, 1); for the ids of queue entries, and for retries at different times. */
  readonly random: () => number;
  /** Called when the table was unavailable, with the resulting decision. */
  readonly onTableUnavailable?: ((granted: boolean, error: unknown) => void) | undefined;
};
