export { SHARED_WINDOW_MS, getHeaderAdjustment } from './sync-with-headers.ts';
export {
  type Breaker,
  PROBE_TIMEOUT_MS,
  CLOSED,
  openBreaker,
  getBreakerState,
  orderModels,
} from './breaker.ts';
export {
  type EndpointFamily,
  CHAT_LIMIT,
  ENDPOINT_LIMITS,
  LEARNING_FAMILIES,
  type LearnedLimit,
  reduceLimit,
  getLearnedLimit,
} from './endpoint-limits.ts';
export {
  type RateLimit,
  type GcraRule,
  GCRA_GUARD,
  createGcraRule,
  getLatestTat,
  waitUs,
  type GcraDecision,
} from './gcra.ts';
export {
  FAIR_QUEUE,
  type Waiter,
  type PersonShare,
  NO_SHARE,
  type QueueState,
  type QueueTurn,
  roundMs,
  getStartTag,
  computeTurns,
  getRequiredReserve,
  countPassed,
  countAvailableRequests,
} from './fair-queue.ts';
export { type Priority, PRIORITY_CLASSES, TABLE_OUTAGE_LIMIT } from './priority-classes.ts';
export { getStandBackMs } from './stand-back.ts';
export { findMaxWeight } from './fair-share-weight.ts';
export {
  type RollingWindow,
  WINDOW_GUARD_MS,
  SEND_TIMEOUT_MS,
  createWindowEntry,
  listExpiredEntries,
  getMsUntilFree,
} from './rolling-window.ts';
export { RateLimitExceededError, QueuedRequestError, AllModelsBusyError } from './errors.ts';
