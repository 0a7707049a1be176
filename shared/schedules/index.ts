export { enqueueScheduledRun } from './enqueue-scheduled-run.ts';
export { runSchedule, type RunOutcome, type ScheduledRun, type SchedulesContext } from './run-schedule.ts';
