/** Runs `action` after `ms`. Returns a function that cancels it. */
export type After = (ms: number, action: () => void) => () => void;

/** Real time. */
export const realAfter: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};
