import { addDays, dateInZone } from '../billing/budgets/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { Ratings, SchedulePlace } from '../storage/index.ts';
import type { WeeklySummary } from './summary-card.ts';
import { getWeeks, sumWeek, type WorkspaceDay } from './week-totals.ts';

/** The maximum number of ratings of two weeks that are counted. */
const MAX_RATINGS = 5_000;
/** Two weeks and a day, so that no time zone lacks an hour. */
const RATINGS_MS = 15 * 86_400_000;

export type SummaryData = {
  readonly budgets: Extract<Budgets, { readonly enabled: true }>;
  readonly ratings: Pick<Ratings, 'list'>;
};

/**
 * Adds up the seven whole days before `nowMs` and the seven before those, in the time zone of the workspace's budgets. Reads the
 * accounts of the workspace and of its people on each of these days.
 */
export async function loadWeeklySummary(
  place: SchedulePlace,
  nowMs: number,
  { budgets, ratings }: SummaryData,
): Promise<WeeklySummary> {
  const zone = await budgets.getZone(place);
  const { week, before } = getWeeks(dateInZone(nowMs, zone));
  const listed = await ratings.list(place, nowMs - RATINGS_MS, MAX_RATINGS);
  const days: WorkspaceDay[] = [];
  // One after the other: a large workspace has thousands of people on each day, of whom only the names are kept.
  for (let date = before.first; date <= week.last; date = addDays(date, 1))
    days.push(await loadDay(place, date, budgets));
  const rated = listed.map(({ askedAt, good }) => ({ date: dateInZone(askedAt, zone), good }));
  return {
    week,
    totals: sumWeek(week, days, rated),
    before: sumWeek(before, days, rated),
    zone,
  };
}

async function loadDay(
  place: SchedulePlace,
  date: string,
  budgets: SummaryData['budgets'],
): Promise<WorkspaceDay> {
  const [[total], accounts] = await Promise.all([
    budgets.listAccounts(place, date, 'workspace'),
    budgets.listAccounts(place, date, 'person'),
  ]);
  // Without a booking, an account has reservations only.
  const used = accounts.filter(({ models }) => Object.keys(models).length > 0);
  return { date, total, people: used.map(({ account }) => account.slice(`D#${date}#person#`.length)) };
}
