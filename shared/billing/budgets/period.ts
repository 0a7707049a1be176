/** How long a budget lasts, by the calendar of a time zone. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const LETTERS: Readonly<Record<Period, string>> = { day: 'D', week: 'W', month: 'M' };
const DAY_MS = 86_400_000;

/** By zone. To make one takes longer than all else that a question needs of the calendar. */
const calendars = new Map<string, Intl.DateTimeFormat>();

function calendarOf(timeZone: string): Intl.DateTimeFormat {
  const known = calendars.get(timeZone);
  if (known) return known;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const made = new Intl.DateTimeFormat('en-CA', { timeZone, ...day });
  calendars.set(timeZone, made);
  return made;
}

/** The date at that moment in that zone: `2026-11-21`. The zone is a valid one. */
export const dateIn = (ms: number, zone: string): string => calendarOf(zone).format(ms);

/** Which period it is, by its first day: `D#2026-11-21`, `W#2026-11-16` (a Monday), `M#2026-11-01`. Sorts by time. */
export function periodKey(period: Period, ms: number, zone: string): string {
  return `${LETTERS[period]}#${firstDay(period, dateIn(ms, zone))}`;
}

/** The date so many days later. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

function firstDay(period: Period, date: string): string {
  if (period === 'month') return `${date.slice(0, 8)}01`;
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return period === 'week' ? addDays(date, -((weekday + 6) % 7)) : date;
}

/** When the period that it is now ends (ms since 1970): the first moment of the next one, also across a change of clocks. */
export function endOfPeriod(period: Period, ms: number, zone: string): number {
  const now = periodKey(period, ms, zone);
  let low = ms;
  let high = ms + 33 * DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (periodKey(period, middle, zone) === now) low = middle;
    else high = middle;
  }
  return high;
}
