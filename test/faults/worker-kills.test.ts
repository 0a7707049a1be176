import { expect, test } from '@jest/globals';
import { findViolations } from './find-violations.ts';
import { runScenario, T0 } from './scenario.ts';

const MINUTE = 60_000;
/** Chunks of an answer of 15 s: each kill interrupts it. */
const goesOn = { pieces: Array.from({ length: 15 }, (_, n) => `, then ${n}`), everyMs: 1_000 };
const THREADS = 10;
const questions = Array.from({ length: THREADS }, (_, thread) => ({
  text: `${thread}?`,
  afterMs: 100,
  thread,
}));

test.each([
  ['every six seconds', Array.from({ length: 10 }, (_, n) => 3_000 + n * 6_000)],
  ['just when questions are redelivered', [3, 23, 26, 29, 45, 48, 51, 54, 57, 60].map((s) => s * 1_000)],
  // By then each kill finds questions that are alone in their process.
  ['as late as possible', [5, 28, 33, 38, 43, 48, 51, 56, 60, 64].map((s) => s * 1_000)],
])(
  'ten kills of all workers within a minute, %s, give up no question: each is answered within a minute of the last',
  async (_, kills) => {
    const end = await runScenario({ questions, goesOn, kills, plan: () => undefined });
    expect(findViolations(end)).toEqual([]);
    expect(end.harness.trace.filter((line) => line.endsWith(' bury'))).toEqual([]);
    const lastMs = Math.max(...kills) + MINUTE;
    expect(end.questionIds.filter((ts) => (end.endedAt.get(ts) ?? Infinity) > T0 + lastMs)).toEqual([]);
  },
);
