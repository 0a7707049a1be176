/** The current time in ms since 1970. */
export type Clock = () => number;

/** The clock and timer of a feature, so that tests and the fault simulation can control them. */
export type Time = {
  readonly now: Clock;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/**
 * The system time. Does not use `node:timers/promises`: each aborted sleep there creates an error with a stack
 * trace.
 */
export const systemTime: Time = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
