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
/** What people do to their questions. */
export type Load = {
  /** The share of questions that are sent during the previous answer. */
  readonly quick: number;
  /** The same for questions after such a question, with which they are merged. */
  readonly quickAgain: number;
  /** The share of questions that are changed afterwards. */
  readonly changed: number;
  /** The share of deletions among the changes. */
  readonly deleted: number;
};

export const USUAL: Load = { quick: 0.1, quickAgain: 0.5, changed: 0.03, deleted: 0.3 };
/** Changes of questions that are merged, and of the questions beside them. */
export const CHANGES: Load = { quick: 0.5, quickAgain: 0.8, changed: 0.4, deleted: 0.5 };

const between = (random: Random, least: number, max: number): number =>
  Math.round(least + random() * (max - least));

/** The next random thread. */
export function plannedThread(random: Random, load: Load): PlannedThread {
  let isQuick = false;
  const count = 1 + Math.floor(random() * MAX_QUESTIONS);
  return {
    person: Math.floor(random() * PEOPLE),
    channel: Math.floor(random() * CHANNELS),
    questions: Array.from({ length: count }, (_, nth) => {
      isQuick = nth > 0 && random() < (isQuick ? load.quickAgain : load.quick);
      return plannedQuestion(random, load, nth, isQuick);
    }),
  };
}

function plannedQuestion(random: Random, load: Load, nth: number, isQuick: boolean): PlannedQuestion {
  const afterMs = nth === 0 ? 0 : isQuick ? between(random, 300, 2_000) : between(random, 15_000, 45_000);
  if (random() >= load.changed) return { afterMs };
  // The deletion of the root message would delete the thread, which another test covers.
  const what = nth > 0 && random() < load.deleted ? 'delete' : 'edit';
  return { afterMs, change: { what, afterMs: between(random, 1_000, 12_000) } };
}
