export type Rate = { readonly perMinute: number; readonly burst: number };

export type Taken = {
  readonly allowed: boolean;
  /** The number of requests that may be sent at once. */
  readonly remaining: number;
  /** ms until the bucket is full again. */
  readonly resetMs: number;
  /** ms until one request is allowed; 0 if one is allowed now. */
  readonly waitMs: number;
};

export type Bucket = {
  /** Takes one request if there is room. A refused take costs nothing. */
  take(now: number): Taken;
  /** The state without taking. */
  look(now: number): Taken;
};

/**
 * `burst` requests at once, refilled at `perMinute`: a token bucket, stored as the time when it is full again, so
 * that the arithmetic is exact for every rate that divides a minute.
 */
export function createBucket(rate: Rate): Bucket {
  const interval = 60_000 / rate.perMinute;
  let fullAt = -Infinity;
  const look = (now: number): Taken => {
    const debt = Math.max(0, fullAt - now);
    const remaining = Math.max(0, Math.floor((rate.burst * interval - debt) / interval));
    const waitMs = Math.max(0, debt - (rate.burst - 1) * interval);
    return { allowed: remaining > 0, remaining, resetMs: debt, waitMs };
  };
  return {
    look,
    take(now) {
      if (!look(now).allowed) return { ...look(now), allowed: false };
      fullAt = Math.max(fullAt, now) + interval;
      return { ...look(now), allowed: true };
    },
  };
}
