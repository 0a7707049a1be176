export {
  findNextRun,
  formatTimeOfDay,
  isTimeZone,
  isWeekday,
  listMissedRuns,
  parseTimeOfDay,
  type Recurrence,
  type Weekday,
  WEEKDAYS,
} from './recurrence.ts';
export { decideRun, MAX_LATENESS_MS, type RunDecision } from './decide-run.ts';
export { toInstant } from './to-instant.ts';
export { type ParsedRecurrence, parseRecurrenceText } from './parse-recurrence.ts';
