import type { UpstreamError } from '../errors.ts';

/** Retries after the first attempt. Refreshing the key and trying the next model are not counted. */
const MAX_RETRIES = 2;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** The default of `maxWaitMs`: the client never waits longer itself. */
const MAX_WAIT_MS = 60_000;

/** What to do after a failed attempt. */
export type RetryDecision =
  | { readonly kind: 'give-up' }
  | { readonly kind: 'wait'; readonly ms: number }
  /** The caller waits in `beforeAttempt`. */
  | { readonly kind: 'caller-waits' }
  | { readonly kind: 'next-model' }
  | { readonly kind: 'fresh-key' }
  /** The request was changed: the field that the server rejected is left out. */
  | { readonly kind: 'changed-request' };

export type RetryContext = {
  /** Retries made so far. */
  readonly retries: number;
  /** Whether the key was refreshed already. */
  readonly keyRefreshed: boolean;
  readonly hasMoreModels: boolean;
  /** Whether the rejected field was left out of the request, so that it differs from the one that failed. */
  readonly requestChanged?: boolean | undefined;
  /** In [0, 1). */
  readonly random: number;
  readonly now: number;
  readonly deadline: number | undefined;
  /** The client does not wait longer than this. */
  readonly maxWaitMs: number | undefined;
  /** Whether to retry after the response was cut. False where a repeated request costs money. */
  readonly repeatable: boolean;
  /** Whether the caller waits for rate limits, however often. */
  readonly callerWaits?: boolean | undefined;
};

/**
 * Decides how to go on after a failure before the first part of an answer: at most two retries, full jitter over
 * 0.5 s · 2ⁿ (at most 8 s), never before `Retry-After`, never after the deadline.
 */
export function decideRetry(error: UpstreamError, context: RetryContext): RetryDecision {
  if (error.status === 401 && !context.keyRefreshed) return { kind: 'fresh-key' };
  if (context.requestChanged) return { kind: 'changed-request' };
  if (error.kind === 'at-capacity' && context.hasMoreModels) return { kind: 'next-model' };
  if (!isTransient(error, context.repeatable)) return { kind: 'give-up' };
  const { retries, random, now, deadline, maxWaitMs = MAX_WAIT_MS, callerWaits } = context;
  if (callerWaits && (error.kind === 'rate-limited' || error.kind === 'at-capacity')) {
    return deadline !== undefined && now >= deadline ? { kind: 'give-up' } : { kind: 'caller-waits' };
  }
  const requestedMs = error.retryAfterMs ?? 0;
  const ms = Math.ceil(requestedMs + random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retries));
  const isTooLate = deadline !== undefined && now + ms >= deadline;
  return retries >= MAX_RETRIES || requestedMs > maxWaitMs || isTooLate
    ? { kind: 'give-up' }
    : { kind: 'wait', ms };
}

/** Whether the failure can disappear with time. */
function isTransient(error: UpstreamError, repeatable: boolean): boolean {
  switch (error.kind) {
    case 'server':
    case 'at-capacity':
      return true;
    case 'rate-limited':
      return error.code !== 'window_full';
    case 'connection':
      return error.code !== 'certificate';
    case 'timeout':
      // Without any part of an answer the others mean that the server may have been working, and an answer is paid for.
      return error.code === 'first_byte';
    case 'cut':
      return repeatable;
    case 'auth':
    case 'bad-request':
    case 'not-found':
    case 'unknown-model':
    case 'quota':
    case 'malformed':
    case 'too-large':
      return false;
  }
}

/**
 * Limits retries to a tenth of the requests after a burst of ten, so that retries do not overload a failing upstream.
 * Waits for rate limits are not counted.
 */
export class RetryBudget {
  #available: number;
  readonly #capacity: number;

  constructor(capacity = 10) {
    this.#capacity = capacity;
    this.#available = capacity;
  }

  /** Records a request that is not a retry. */
  earn(): void {
    this.#available = Math.min(this.#capacity, this.#available + 0.1);
  }

  /** Uses one retry. Returns false when none is left. */
  spend(): boolean {
    if (this.#available < 1) return false;
    this.#available -= 1;
    return true;
  }
}
