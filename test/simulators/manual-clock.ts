/** A manual clock with its timers. */
export type ManualClock = {
  readonly now: () => number;
  /** Runs `action` when the clock has advanced by `ms`. Returns a function that cancels it. */
  readonly after: (ms: number, action: () => void) => () => void;
  /** Advances the clock and runs due timers in order. */
  readonly advance: (ms: number) => void;
  /** The number of pending timers. */
  readonly waiting: () => number;
};

export function createManualClock(start = Date.UTC(2026, 0, 5, 9)): ManualClock {
  let time = start;
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => time,
    after(ms, action) {
      const timer = { at: time + ms, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const target = time + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= target).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        time = Math.max(time, next.at);
        next.action();
      }
      time = target;
    },
    waiting: () => timers.size,
  };
}
