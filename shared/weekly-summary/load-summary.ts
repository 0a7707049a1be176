import { dateInZone } from '../billing/budgets/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { Ratings, SchedulePlace } from '../storage/index.ts';
import type { WeeklySummary } from './summary-card.ts';
import { getWeeks, sumWeek } from './week-totals.ts';

/** So many ratings of two weeks are counted. */
const MAX_RATINGS = 5_000;
/** Two weeks and a day, so that no time zone lacks an hour. */
const RATINGS_MS = 15 * 86_400_000;

export type SummaryData = {
  readonly budgets: Extract<Budgets, { readonly enabled: true }>;
  readonly ratings: Pick<Ratings, 'list'>;
};

/**
 * Adds up the seven whole days before `nowMs` and the seven before those, in the time zone of the workspace's budgets. Reads each
 * daily account of two weeks: one for the workspace and one for each person and channel with requests on that day.
 */
export async function loadWeeklySummary(
  place: SchedulePlace,
  nowMs: number,
  { budgets, ratings }: SummaryData,
): Promise<WeeklySummary> {
  const zone = await budgets.getZone(place);
  const { week, before } = getWeeks(dateInZone(nowMs, zone));
  const [accounts, listed] = await Promise.all([
    budgets.listAccounts(place, before.first, week.last),
    ratings.list(place, nowMs - RATINGS_MS, MAX_RATINGS),
  ]);
  const rated = listed.map(({ askedAt, good }) => ({ date: dateInZone(askedAt, zone), good }));
  return {
    week,
    totals: sumWeek(week, accounts, rated),
    before: sumWeek(before, accounts, rated),
    zone,
  };
}
