import type { Random } from '../faults/seeded-random.ts';

/** One question of a thread: its delay after the previous one (ms), and what its person does to it afterwards. */
export type PlannedQuestion = {
  readonly afterMs: number;
  readonly change?: { readonly what: 'edit' | 'delete'; readonly afterMs: number };
};

/** A conversation of one person with the bot. */
export type PlannedThread = {
  readonly person: number;
  readonly channel: number;
  readonly questions: readonly PlannedQuestion[];
};

export const PEOPLE = 400;
export const CHANNELS = 120;
const MAX_QUESTIONS = 8;
/** The average number of questions in a thread. */
export const MEAN_QUESTIONS = (1 + MAX_QUESTIONS) / 2;
/**
 * The share of questions that are sent during the previous answer. Those after such a question are merged with it.
 */
const QUICK = 0.1;
const QUICK_AGAIN = 0.5;
const CHANGED = 0.03;

const between = (random: Random, least: number, max: number): number =>
  Math.round(least + random() * (max - least));

/** The next random thread. */
export function plannedThread(random: Random): PlannedThread {
  let isQuick = false;
  const count = 1 + Math.floor(random() * MAX_QUESTIONS);
  return {
    person: Math.floor(random() * PEOPLE),
    channel: Math.floor(random() * CHANNELS),
    questions: Array.from({ length: count }, (_, nth) => {
      isQuick = nth > 0 && random() < (isQuick ? QUICK_AGAIN : QUICK);
      return plannedQuestion(random, nth, isQuick);
    }),
  };
}

function plannedQuestion(random: Random, nth: number, isQuick: boolean): PlannedQuestion {
  const afterMs = nth === 0 ? 0 : isQuick ? between(random, 300, 2_000) : between(random, 15_000, 45_000);
  if (random() >= CHANGED) return { afterMs };
  // The deletion of the root message would delete the thread, which another test covers.
  const what = nth > 0 && random() < 0.3 ? 'delete' : 'edit';
  return { afterMs, change: { what, afterMs: between(random, 1_000, 12_000) } };
}
