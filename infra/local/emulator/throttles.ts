import type { Throttle } from '../template/resource-types.ts';

/** Throttles requests by a token bucket per route, like API Gateway. AWS applies its throttle on a best-effort basis. */
export class Throttles {
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** `now` in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a token for one request. False: respond with 429. */
  take(route: string, { rate, burst }: Throttle): boolean {
    const now = this.#now();
    const bucket = this.#buckets.get(route) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * rate);
    const isGranted = tokens >= 1;
    this.#buckets.set(route, { tokens: isGranted ? tokens - 1 : tokens, at: now });
    return isGranted;
  }
}
