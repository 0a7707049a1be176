/** The current time in ms since 1970. */
export type Clock = () => number;

/** Time as the flows see it, so that tests and the fault simulation can hold its hands. */
export type Time = {
  readonly now: Clock;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

/** The machine's own time. Not by `node:timers/promises`: an aborted sleep would make an error with a stack each time. */
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
