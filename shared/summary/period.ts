import { addDays, dateIn } from '../billing/budgets/index.ts';

/** What people may ask a channel to be summed up for. */
export const PERIODS = ['yesterday', 'week', 'last-message'] as const;
export type SummaryPeriod = (typeof PERIODS)[number];

const DAY_MS = 86_400_000;
/** How far back somebody's own last message is looked for, in days. */
export const MAX_DAYS_BACK = 14;

/** From when on messages are read (ms since 1970): days begin at midnight in the zone of who asks, which is a valid one. */
export function periodStart(period: SummaryPeriod, now: number, zone: string): number {
  switch (period) {
    case 'yesterday':
      return startOfDay(addDays(dateIn(now, zone), -1), now, zone);
    case 'week':
      return now - 7 * DAY_MS;
    case 'last-message':
      return now - MAX_DAYS_BACK * DAY_MS;
  }
}

/** The first moment of a date of the last days, also across a change of clocks. */
function startOfDay(date: string, now: number, zone: string): number {
  let [before, within] = [now - 3 * DAY_MS, now];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dateIn(middle, zone) < date) before = middle;
    else within = middle;
  }
  return within;
}
