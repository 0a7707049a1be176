import { addDays, dateInZone } from '../billing/budgets/index.ts';

/** The periods of a channel summary. */
export const PERIODS = ['yesterday', 'week', 'last-message'] as const;
export type SummaryPeriod = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;
/** How far back a person's last message is searched, in days. */
export const MAX_DAYS_BACK = 14;

/** Returns the start of a period (ms since 1970). Days start at midnight in the asker's time zone, which must be valid. */
export function getPeriodStart(period: SummaryPeriod, now: number, zone: string): number {
  switch (period) {
    case 'yesterday':
      return startOfDay(addDays(dateInZone(now, zone), -1), now, zone);
    case 'week':
      return now - 7 * DAY_MS;
    case 'last-message':
      return now - MAX_DAYS_BACK * DAY_MS;
  }
}

/** Returns the start of a recent date by bisection, so that clock changes are handled. */
function startOfDay(date: string, now: number, zone: string): number {
  let [before, inside] = [now - 3 * DAY_MS, now];
  while (inside - before > 1) {
    const middle = Math.floor((before + inside) / 2);
    if (dateInZone(middle, zone) < date) before = middle;
    else inside = middle;
  }
  return inside;
}
