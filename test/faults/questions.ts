import type { ScenarioOptions } from './options.ts';

type Questions = ScenarioOptions['questions'];

export const ONE_QUESTION: Questions = [{ text: 'why?', afterMs: 0 }];
export const THREE_QUESTIONS: Questions = [
  { text: 'one?', afterMs: 0 },
  { text: 'two?', afterMs: 40 },
  { text: 'three?', afterMs: 2_000 },
];
export const THREE_THREADS: Questions = [
  { text: 'one?', afterMs: 0, thread: 0 },
  { text: 'two?', afterMs: 40, thread: 1 },
  { text: 'three?', afterMs: 500, thread: 0 },
  { text: 'four?', afterMs: 1_500, thread: 2 },
  { text: 'five?', afterMs: 2_500, thread: 1 },
];
/** The second and the third wait for the first, and are merged. */
export const MERGED: Questions = [
  { text: 'one?', afterMs: 0 },
  { text: 'two?', afterMs: 300 },
  { text: 'three?', afterMs: 100 },
];
export const TWO_QUESTIONS: Questions = [
  { text: 'one?', afterMs: 0 },
  { text: 'two?', afterMs: 20_000 },
];
/** Each is answered before the next one is asked. */
export const THREE_IN_A_MINUTE: Questions = [...TWO_QUESTIONS, { text: 'three?', afterMs: 20_000 }];
