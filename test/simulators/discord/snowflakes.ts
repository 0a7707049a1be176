/** Discord's epoch: the start of 2015. */
const EPOCH_MS = 1_420_070_400_000;

/** Increasing ids that contain their creation time. */
export type Snowflakes = { next(): string };

/**
 * `now` returns ms since 1970. A clock that stands still or goes back still gives increasing ids; none is below
 * `after`.
 */
export function createSnowflakes(now: () => number, after = 0n): Snowflakes {
  let last = after;
  return {
    next() {
      const first = BigInt(Math.max(0, Math.floor(now()) - EPOCH_MS)) << 22n;
      last = first > last ? first : last + 1n;
      return String(last);
    },
  };
}

/** The creation time of an id, in ms since 1970. */
export const momentOf = (id: string): number => Number(BigInt(id) >> 22n) + EPOCH_MS;

/** The lowest possible id of this time. */
export const snowflakeAt = (ms: number): string => String(BigInt(Math.floor(ms) - EPOCH_MS) << 22n);

export const isSnowflake = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{15,20}$/.test(value);

/** Orders ids by age, the oldest first. */
export const byAge = (a: { readonly id: string }, b: { readonly id: string }): number => {
  const [left, right] = [BigInt(a.id), BigInt(b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
};
