/** What a job's status amounts to. Words beyond the first are not documented, so public practice counts. */
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
  OK: 'done',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
  CANCELLATION_REQUESTED: 'cancelled',
};

/**
 * The state behind a status word. A service of this kind reports `COMPLETED` for failed jobs too, with an error beside
 * it: that is a failure. An unknown word means to go on asking until the deadline.
 */
export function stateOf(status: string | undefined, failed: boolean): JobState {
  const state = STATES[status?.toUpperCase() ?? ''] ?? 'unknown';
  return failed && (state === 'done' || state === 'unknown') ? 'failed' : state;
}
