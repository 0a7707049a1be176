export {
  createMessengerRouter,
  createPlatformRouter,
  type ErasedUntil,
  dropErasedMessages,
  toErasedUntil,
} from './platform-wrappers.ts';
export { keepNewestMessages } from './newest-messages.ts';
export { getDownloadTimeoutMs, readBoundedBody, shortenFileName } from './read-bounded-body.ts';
export {
  type CallFailure,
  getFailureReason,
  type RetryOptions,
  RetryTimeoutError,
  retryDelay,
  retryUntilDeadline,
} from './retry.ts';
