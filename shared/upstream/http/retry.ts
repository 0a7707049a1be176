import type { UpstreamError } from '../errors.ts';

/** Retries beside the first attempt; a fresh key and a next model are not counted. */
export const MAX_RETRIES = 2;
const BASE_MS = 500;
const CAP_MS = 8_000;
/** The longest wait that a call makes by itself, unless told otherwise. */
const MAX_WAIT_MS = 60_000;

/** What to do after a failed attempt. */
export type RetryDecision =
  | { readonly kind: 'give-up' }
  | { readonly kind: 'wait'; readonly ms: number }
  /** The caller waits, before the next attempt. */
  | { readonly kind: 'caller-waits' }
  | { readonly kind: 'next-model' }
  | { readonly kind: 'fresh-key' };

export type Situation = {
  /** Retries made so far. */
  readonly retries: number;
  /** Whether a fresh key has been asked for already. */
  readonly refreshed: boolean;
  readonly moreModels: boolean;
  /** In [0, 1). */
  readonly random: number;
  readonly now: number;
  readonly deadline: number | undefined;
  /** A longer wait is the caller's to make. */
  readonly maxWaitMs: number | undefined;
  /** Whether an answer that broke off may be asked for again; where it costs money, what was sent was billed. */
  readonly repeatable: boolean;
  /** Whether waiting for limits is the caller's, however often. */
  readonly callerWaits?: boolean | undefined;
};

/**
 * The retry policy, for failures before the first piece of an answer: at most two retries, full jitter over
 * 0.5 s · 2ⁿ (at most 8 s), never earlier than `Retry-After`, never past the deadline.
 */
export function next(error: UpstreamError, situation: Situation): RetryDecision {
  if (error.status === 401 && !situation.refreshed) return { kind: 'fresh-key' };
  if (error.kind === 'at-capacity' && situation.moreModels) return { kind: 'next-model' };
  if (!passes(error, situation.repeatable)) return { kind: 'give-up' };
  const { retries, random, now, deadline, maxWaitMs = MAX_WAIT_MS, callerWaits } = situation;
  if (callerWaits && (error.kind === 'rate-limited' || error.kind === 'at-capacity')) {
    return deadline !== undefined && now >= deadline ? { kind: 'give-up' } : { kind: 'caller-waits' };
  }
  const asked = error.retryAfterMs ?? 0;
  const ms = Math.ceil(asked + random * Math.min(CAP_MS, BASE_MS * 2 ** retries));
  const late = deadline !== undefined && now + ms >= deadline;
  return retries >= MAX_RETRIES || asked > maxWaitMs || late ? { kind: 'give-up' } : { kind: 'wait', ms };
}

/** Whether the failure may be over after a wait. */
function passes(error: UpstreamError, repeatable: boolean): boolean {
  switch (error.kind) {
    case 'server':
    case 'at-capacity':
      return true;
    case 'rate-limited':
      return error.code !== 'window_full';
    case 'connection':
      return error.code !== 'certificate';
    case 'timeout':
      return error.code === 'first_byte' || error.code === 'idle';
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
 * Keeps retries at a tenth of the traffic once the first ten are spent, so that an upstream in trouble is not buried.
 * Waiting for a limit is no trouble and is not counted.
 */
export class RetryBudget {
  #left: number;
  readonly #most: number;

  constructor(most = 10) {
    this.#most = most;
    this.#left = most;
  }

  /** A call that is not a retry. */
  earn(): void {
    this.#left = Math.min(this.#most, this.#left + 0.1);
  }

  /** Whether there is room for one more retry. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
