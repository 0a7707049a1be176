import { retryUntilDeadline } from '../../index.ts';
import { classifyError } from './errors.ts';

export { RetryTimeoutError, type RetryOptions, retryDelay } from '../../index.ts';

/** Retries an idempotent request until it succeeds, is refused permanently, or the deadline is reached. */
export const retrySlack = retryUntilDeadline(classifyError);
