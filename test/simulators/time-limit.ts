import { Script } from 'node:vm';

/** Far more than linear work on a hundred thousand characters takes on a slow machine, and far less than quadratic work takes. */
const TIME_LIMIT_MS = 10_000;

const SCRIPT = new Script('globalThis.workWithTimeLimit()');

/**
 * Runs synchronous work, and throws when it takes longer than the limit, also within one pattern. The timeout of a test does not end it:
 * a timer waits until synchronous work has ended. `stepsOf` is the exact measure, for what is not within a pattern.
 */
export function runWithTimeLimit(work: () => void, timeoutMs = TIME_LIMIT_MS): void {
  Object.assign(globalThis, { workWithTimeLimit: work });
  try {
    SCRIPT.runInThisContext({ timeout: timeoutMs });
  } finally {
    Reflect.deleteProperty(globalThis, 'workWithTimeLimit');
  }
}
