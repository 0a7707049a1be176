import { getWallClockMs, toInstant } from './to-instant.ts';

/** In the order of the calendar. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const isWeekday = (text: unknown): text is Weekday => WEEKDAYS.some((one) => one === text);

/** A time of day on some weekdays, by the clocks of a time zone. */
export type Recurrence = {
  /** At least one. */
  readonly weekdays: readonly Weekday[];
  /** Minutes since midnight, 0 to 1439. */
  readonly minuteOfDay: number;
  /** An IANA time zone: `Europe/Berlin`. */
  readonly zone: string;
};

const DAY_MS = 86_400_000;
/** A week and the days around it, whatever the time zone. */
const SEARCHED_DAYS = 10;

/**
 * Returns the first run after `afterMs` (ms since 1970). It follows the clocks of the zone through daylight saving: see
 * `toInstant`. Throws a RangeError if no weekday is set, or the zone is unknown.
 */
export function findNextRun({ weekdays, minuteOfDay, zone }: Recurrence, afterMs: number): number {
  const today = getWallClockMs(afterMs, zone);
  for (let day = -1; day < SEARCHED_DAYS; day += 1) {
    const noon = new Date(today + day * DAY_MS);
    // `getUTCDay` counts from Sunday.
    const weekday = WEEKDAYS[(noon.getUTCDay() + 6) % 7];
    if (weekday === undefined || !weekdays.includes(weekday)) continue;
    const runMs = toInstant(noon.toISOString().slice(0, 10), minuteOfDay, zone);
    if (runMs > afterMs) return runMs;
  }
  throw new RangeError('a recurrence needs a weekday');
}

/** Returns the runs from `fromMs` to `nowMs`, both included; `fromMs` is a run. At most `limit`, the oldest first. */
export function listMissedRuns(
  recurrence: Recurrence,
  fromMs: number,
  nowMs: number,
  limit: number,
): number[] {
  const runs: number[] = [];
  for (let run = fromMs; run <= nowMs && runs.length < limit; run = findNextRun(recurrence, run))
    runs.push(run);
  return runs;
}

/** Parses a time of day as people write it: `9`, `9:30`, `21.05`, `9am`, `12 pm`. Undefined if it is none. */
export function parseTimeOfDay(text: string): number | undefined {
  const [, hourText, minuteText = '0', half] =
    /^\s*(\d{1,2})(?:[:.h](\d{2}))?\s*([ap])?\.?(?:m\.?)?\s*h?\s*$/iu.exec(text) ?? [];
  if (hourText === undefined) return undefined;
  const [hour, minute] = [Number(hourText), Number(minuteText)];
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined;
  if (half === undefined) return hour * 60 + minute;
  return (hour % 12) * 60 + minute + (half.toLowerCase() === 'p' ? 12 * 60 : 0);
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** Formats a time of day: `09:30`. */
export function formatTimeOfDay(minuteOfDay: number): string {
  return `${twoDigits(Math.floor(minuteOfDay / 60))}:${twoDigits(minuteOfDay % 60)}`;
}

/** Whether this is an IANA time zone that this system knows. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
