/** The periods of a budget, by the calendar of a time zone. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const LETTERS: Readonly<Record<Period, string>> = { day: 'D', week: 'W', month: 'M' };
const DAY_MS = 86_400_000;

/** By time zone. Creating a format takes longer than all other calendar operations of a question. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function getDateFormat(timeZone: string): Intl.DateTimeFormat {
  const cached = dateFormats.get(timeZone);
  if (cached) return cached;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...day });
  dateFormats.set(timeZone, format);
  return format;
}

/** Returns the date in a time zone, which must be valid: `2026-11-21`. */
export const dateInZone = (ms: number, zone: string): string => getDateFormat(zone).format(ms);

/** Returns the key of a period, by its first day: `D#2026-11-21`, `W#2026-11-16` (a Monday), `M#2026-11-01`. Sorts by time. */
export function periodKey(period: Period, ms: number, zone: string): string {
  return `${LETTERS[period]}#${firstDayOf(period, dateInZone(ms, zone))}`;
}

/** Returns the date this number of days later. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

function firstDayOf(period: Period, date: string): string {
  if (period === 'month') return `${date.slice(0, 8)}01`;
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return period === 'week' ? addDays(date, -((weekday + 6) % 7)) : date;
}

/** Returns when the current period ends (ms since 1970): the start of the next one. Handles clock changes by bisection. */
export function endOfPeriod(period: Period, ms: number, zone: string): number {
  const key = periodKey(period, ms, zone);
  let low = ms;
  let high = ms + 33 * DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (periodKey(period, middle, zone) === key) low = middle;
    else high = middle;
  }
  return high;
}
