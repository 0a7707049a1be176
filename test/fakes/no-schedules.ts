import type { Jobs, Schedules } from '../../shared/storage/index.ts';

const noneDue = { listDue: () => Promise.resolve([]) };

/** Nothing is scheduled. */
export const NO_SCHEDULES: Pick<Schedules, 'listDue'> = noneDue;

/** No video is due, and nothing is scheduled. */
export const NOTHING_DUE: {
  readonly jobs: Pick<Jobs, 'listDue'>;
  readonly schedules: Pick<Schedules, 'listDue'>;
} = {
  jobs: noneDue,
  schedules: NO_SCHEDULES,
};
