import type { UpstreamError } from '../errors.ts';

/** Retries beside the first attempt; a fresh key and a next model are not counted. */
export const MAX_RETRIES = 2;
const BASE_MS = 500;
const CAP_MS = 8_000;

/** What to do after a failed attempt. */
export type Next =
  | { readonly kind: 'give-up' }
  | { readonly kind: 'wait'; readonly ms: number }
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
};

/**
 * The retry policy, for failures before the first piece of an answer: at most two retries, full jitter over
 * 0.5 s · 2ⁿ (at most 8 s), never earlier than `Retry-After`, never past the deadline.
 */
export function next(error: UpstreamError, situation: Situation): Next {
  switch (error.kind) {
    case 'auth':
      return error.status === 401 && !situation.refreshed ? { kind: 'fresh-key' } : { kind: 'give-up' };
    case 'at-capacity':
      return situation.moreModels ? { kind: 'next-model' } : wait(error, situation);
    case 'rate-limited':
    case 'server':
    case 'cut':
      return wait(error, situation);
    case 'timeout':
      return error.code === 'first_byte' || error.code === 'idle'
        ? wait(error, situation)
        : { kind: 'give-up' };
    case 'connection':
      return error.code === 'certificate' ? { kind: 'give-up' } : wait(error, situation);
    case 'bad-request':
    case 'not-found':
    case 'unknown-model':
    case 'quota':
    case 'malformed':
    case 'too-large':
      return { kind: 'give-up' };
  }
}

function wait(error: UpstreamError, { retries, random, now, deadline }: Situation): Next {
  if (retries >= MAX_RETRIES) return { kind: 'give-up' };
  const ms = Math.ceil((error.retryAfterMs ?? 0) + random * Math.min(CAP_MS, BASE_MS * 2 ** retries));
  return deadline !== undefined && now + ms >= deadline ? { kind: 'give-up' } : { kind: 'wait', ms };
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
