import { setTimeout as after } from 'node:timers/promises';

/** The current time in ms since 1970. */
export type Clock = () => number;

/** Time as the flows see it, so that tests and the fault simulation can hold its hands. */
export type Time = {
  readonly now: Clock;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** The machine's own time. */
export const systemTime: Time = {
  now: Date.now,
  sleep: async (ms, signal) => {
    try {
      await after(ms, undefined, signal ? { signal } : {});
    } catch {
      throw signal?.reason;
    }
  },
};
