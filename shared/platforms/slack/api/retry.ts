import { retryUntilDeadline } from '../../retry.ts';
import { failureOf } from './errors.ts';

export { RetryTimeoutError, type RetryOptions, retryDelay } from '../../retry.ts';

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export const retrySlack = retryUntilDeadline(failureOf);
