export type WindowTaken = {
  readonly allowed: boolean;
  readonly remaining: number;
  /** ms until the oldest counted request leaves the window; 0 if none is counted. */
  readonly resetMs: number;
};

const DAY = 24 * 60 * 60 * 1000;

/** At most `limit` requests in any 24 hours. Each one leaves the window after 24 hours. */
export function createWindow(limit: number): {
  take(now: number): WindowTaken;
  look(now: number): WindowTaken;
} {
  let made: number[] = [];
  const look = (now: number): WindowTaken => {
    made = made.filter((at) => now - at < DAY);
    const [oldest] = made;
    const remaining = Math.max(0, limit - made.length);
    return { allowed: remaining > 0, remaining, resetMs: oldest === undefined ? 0 : oldest + DAY - now };
  };
  return {
    look,
    take(now) {
      if (!look(now).allowed) return { ...look(now), allowed: false };
      made.push(now);
      return { ...look(now), allowed: true };
    },
  };
}
