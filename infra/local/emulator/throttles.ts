/** What a route of the stage takes: so many requests a second for long, and so many at once. */
export type Throttle = { readonly rate: number; readonly burst: number };

/**
 * Throttles requests by a token bucket for each route, as API Gateway does where each route has settings of its own. AWS calls its own "best
 * effort": a target, not a ceiling.
 */
export class Throttles {
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** `now` in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a token of the route for one request. False: it is refused with 429. */
  take(route: string, { rate, burst }: Throttle): boolean {
    const now = this.#now();
    const bucket = this.#buckets.get(route) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * rate);
    const taken = tokens >= 1;
    this.#buckets.set(route, { tokens: taken ? tokens - 1 : tokens, at: now });
    return taken;
  }
}
