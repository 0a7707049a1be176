/** The state of a job. Only the first status words are documented; the others are common practice. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'unknown';

const STATES: Readonly<Record<string, JobState>> = {
  IN_QUEUE: 'queued',
  QUEUED: 'queued',
  PENDING: 'queued',
  IN_PROGRESS: 'running',
  PROCESSING: 'running',
  RUNNING: 'running',
  COMPLETED: 'done',
  SUCCEEDED: 'done',
  SUCCESS: 'done',
  SUCCEED: 'done',
  COMPLETE: 'done',
  FINISHED: 'done',
  DONE: 'done',
  OK: 'done',
  FAILED: 'failed',
  FAILURE: 'failed',
  ERROR: 'failed',
  REJECTED: 'failed',
  EXPIRED: 'failed',
  TIMED_OUT: 'failed',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
  CANCELLATION_REQUESTED: 'cancelled',
};

/**
 * Converts a status word. Some services report `COMPLETED` with an error for failed jobs: that is a failure. An unknown
 * word means to keep polling until the deadline.
 */
export function toJobState(status: string | undefined, hasError: boolean): JobState {
  const state = STATES[status?.toUpperCase().replaceAll(/[\s-]+/gu, '_') ?? ''] ?? 'unknown';
  return hasError && (state === 'done' || state === 'unknown') ? 'failed' : state;
}
