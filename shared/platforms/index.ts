export { messengerRouter, platformRouter, type ErasedUntil, withoutErased } from './platform-wrappers.ts';
export { keepNewestMessages } from './newest-messages.ts';
export { downloadTimeoutMs, readBoundedBody, shortName } from './read-bounded-body.ts';
export {
  type CallFailure,
  failureReason,
  type Log,
  type RetryOptions,
  RetryTimeoutError,
  type Time,
  retryDelay,
  retryUntilDeadline,
} from './retry.ts';
