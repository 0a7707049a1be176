export {
  findNextRun,
  formatTimeOfDay,
  isTimeZone,
  isWeekday,
  listMissedRuns,
  type Recurrence,
  type Weekday,
  WEEKDAYS,
} from './recurrence.ts';
export { decideRun, MAX_LATENESS_MS } from './decide-run.ts';
export { toInstant } from './to-instant.ts';
export {
  type ParsedRecurrence,
  parseRecurrenceText,
  parseTimeText,
  parseTypedTime,
} from './parse-recurrence.ts';
