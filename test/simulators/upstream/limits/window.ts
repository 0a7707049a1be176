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
  let times: number[] = [];
  const look = (now: number): WindowTaken => {
    times = times.filter((at) => now - at < DAY);
    const [oldest] = times;
    const remaining = Math.max(0, limit - times.length);
    return { allowed: remaining > 0, remaining, resetMs: oldest === undefined ? 0 : oldest + DAY - now };
  };
  return {
    look,
    take(now) {
      if (!look(now).allowed) return { ...look(now), allowed: false };
      times.push(now);
      return { ...look(now), allowed: true };
    },
  };
}
