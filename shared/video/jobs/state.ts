/** The states of a job, in order. The last four are terminal. */
export const JOB_STATES = [
  'proposed',
  'requested',
  'submitted',
  'queued',
  'running',
  'delivering',
  'delivered',
  'failed',
  'cancelled',
  'expired',
] as const;
export type JobState = (typeof JOB_STATES)[number];

/**
 * The allowed transitions. A proposed job costs nothing until its person confirms it. There is no way back, so that a late
 * status changes nothing. A job in delivery is paid for: it can neither be cancelled nor expire.
 */
const TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = {
  proposed: ['requested', 'cancelled'],
  requested: ['submitted', 'failed', 'cancelled', 'expired'],
  submitted: ['queued', 'running', 'delivering', 'failed', 'cancelled', 'expired'],
  queued: ['running', 'delivering', 'failed', 'cancelled', 'expired'],
  running: ['delivering', 'failed', 'cancelled', 'expired'],
  delivering: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  cancelled: [],
  expired: [],
};

/** Whether a job may go from one state to another. */
export const canTransition = (from: JobState, to: JobState): boolean => TRANSITIONS[from].includes(to);

/** Whether the state has no successor. */
export const isTerminal = (state: JobState): boolean => TRANSITIONS[state].length === 0;

/** The status of a job, as parsed by the client of the service. */
export type JobReport = {
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'unknown';
  /** The raw status of the service. */
  readonly status: string;
  /** How many jobs are before it, from 0. */
  readonly queuePosition?: number | undefined;
  readonly error?: string | undefined;
};

/** The effect of a status. `same`: no visible change. */
export type JobUpdate =
  | { readonly kind: 'same'; readonly unknown?: string | undefined }
  | { readonly kind: 'move'; readonly to: JobState; readonly place?: number | undefined }
  | { readonly kind: 'done' };

/** Compares a status with the state of the job. An unknown status means: keep polling. */
export function applyReport(current: JobState, place: number | undefined, report: JobReport): JobUpdate {
  switch (report.state) {
    case 'done':
      return current === 'submitted' || current === 'queued' || current === 'running'
        ? { kind: 'done' }
        : NO_CHANGE;
    case 'unknown':
      return { kind: 'same', unknown: report.status };
    case 'queued':
      if (current === 'queued' && report.queuePosition === place) return NO_CHANGE;
      if (current !== 'queued' && !canTransition(current, 'queued')) return NO_CHANGE;
      return { kind: 'move', to: 'queued', place: report.queuePosition };
    case 'running':
    case 'failed':
    case 'cancelled':
      return canTransition(current, report.state) ? { kind: 'move', to: report.state } : NO_CHANGE;
  }
}

const NO_CHANGE: JobUpdate = { kind: 'same' };
