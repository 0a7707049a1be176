export { enqueueScheduledRun } from './enqueue-scheduled-run.ts';
export {
  runSchedule,
  RunPostponedError,
  type RunOutcome,
  type ScheduledRun,
  type SchedulesContext,
} from './run-schedule.ts';
