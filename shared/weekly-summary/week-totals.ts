import { addDays } from '../billing/budgets/index.ts';
import { sumBooked } from '../billing/index.ts';
import type { Rating, UsageCounters } from '../storage/index.ts';

/** Seven days in a row, by their first and last date: `2026-11-16`. */
export type Week = { readonly first: string; readonly last: string };

/** The totals of a workspace in a week. */
export type WeekTotals = {
  readonly questions: number;
  readonly failures: number;
  /** People who used the bot. */
  readonly people: number;
  readonly atto: bigint;
  /** Requests of unknown cost, which `atto` lacks. */
  readonly unpriced: number;
  readonly good: number;
  readonly bad: number;
};

/** Returns the seven whole days before a date, and the seven before those. */
export function getWeeks(today: string): { readonly week: Week; readonly before: Week } {
  return {
    week: { first: addDays(today, -7), last: addDays(today, -1) },
    before: { first: addDays(today, -14), last: addDays(today, -8) },
  };
}

/** The usage of a workspace on one day. */
export type WorkspaceDay = {
  readonly date: string;
  /** The account of the workspace; absent if nothing was used. */
  readonly total?: Pick<UsageCounters, 'questions' | 'failures' | 'models'> | undefined;
  /** The people who used the bot. */
  readonly people: readonly string[];
};

/** Adds up the days and the ratings of a week. `date` of a rating: the day of its question. */
export function sumWeek(
  { first, last }: Week,
  days: readonly WorkspaceDay[],
  ratings: readonly { readonly date: string; readonly good: Rating['good'] }[],
): WeekTotals {
  const people = new Set<string>();
  const sum = { questions: 0, failures: 0, atto: 0n, unpriced: 0 };
  for (const { date, total, people: ofDay } of days) {
    if (date < first || date > last) continue;
    for (const person of ofDay) people.add(person);
    if (!total) continue;
    sum.questions += total.questions;
    sum.failures += total.failures;
    const { atto, unpriced } = sumBooked(total);
    sum.atto += atto;
    sum.unpriced += unpriced;
  }
  const rated = ratings.filter(({ date }) => date >= first && date <= last);
  const good = rated.filter((one) => one.good).length;
  return { ...sum, people: people.size, good, bad: rated.length - good };
}

/** Whether anything happened. */
export const isQuiet = ({ questions, failures, people, good, bad }: WeekTotals): boolean =>
  questions + failures + people + good + bad === 0;
