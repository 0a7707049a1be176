/** Where a job stands, in the order in which it gets there. The last four are ends. */
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
 * What may follow what. What is proposed costs nothing, and nothing comes of it until its person agrees. A state is never gone back to, so that a late look at the service undoes nothing. What is being
 * delivered exists and is paid for: it can no longer be cancelled, and does not expire.
 */
const NEXT: Readonly<Record<JobState, readonly JobState[]>> = {
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

export const canTransition = (from: JobState, to: JobState): boolean => NEXT[from].includes(to);

/** Nothing follows. */
export const isTerminal = (state: JobState): boolean => NEXT[state].length === 0;

/** What the service says of a job, in its client's words. */
export type JobReport = {
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'unknown';
  /** As the service put it. */
  readonly status: string;
  /** How many are before it, from 0. */
  readonly queuePosition?: number | undefined;
  readonly error?: string | undefined;
};

/** What a look at the service comes to. `same`: nothing that people would see has changed. */
export type JobUpdate =
  | { readonly kind: 'same'; readonly unknown?: string | undefined }
  | { readonly kind: 'move'; readonly to: JobState; readonly place?: number | undefined }
  | { readonly kind: 'done' };

/** Reads what the service says against where the job stands. A word that nobody knows means to go on asking. */
export function applyReport(at: JobState, place: number | undefined, said: JobReport): JobUpdate {
  switch (said.state) {
    case 'done':
      return at === 'submitted' || at === 'queued' || at === 'running' ? { kind: 'done' } : SAME;
    case 'unknown':
      return { kind: 'same', unknown: said.status };
    case 'queued':
      if (at === 'queued' && said.queuePosition === place) return SAME;
      if (at !== 'queued' && !canTransition(at, 'queued')) return SAME;
      return { kind: 'move', to: 'queued', place: said.queuePosition };
    case 'running':
    case 'failed':
    case 'cancelled':
      return canTransition(at, said.state) ? { kind: 'move', to: said.state } : SAME;
  }
}

const SAME: JobUpdate = { kind: 'same' };
