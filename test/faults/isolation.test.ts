import { expect, test } from '@jest/globals';
import { findViolations } from './find-violations.ts';
import type { ScenarioResult } from './options.ts';
import { runScenario } from './scenario.ts';

const POISON = 'poison';
/** Chunks of an answer of 15 s. */
const goesOn = { pieces: Array.from({ length: 15 }, (_, n) => `, then ${n}`), everyMs: 1_000 };

/**
 * Ten threads have a question at the same time, so that one process has them all; a question in one of them kills it.
 */
const THREADS = 10;
const questions = [
  ...Array.from({ length: THREADS }, (_, thread) => ({
    text: thread === 4 ? `${POISON}?` : `question ${thread}?`,
    afterMs: 0,
    thread,
  })),
  // Asked in the thread that kills.
  { text: 'and then?', afterMs: 1_000, thread: 4 },
];

/** The wait of each question until its answer was stored (s), in the order of the questions. */
function waits({ questionIds, endedAt }: ScenarioResult): number[] {
  return questionIds.map((ts) => Math.round(((endedAt.get(ts) ?? Infinity) - 1000 * Number(ts)) / 1000));
}

test.each([
  ['at once', 0, 'message'],
  ['after two seconds', 2_000, 'message'],
  ['after ten seconds', 10_000, 'message'],
  ['after two seconds, where an invocation locks its threads', 2_000, 'invocation'],
] as const)(
  'a task that always kills its process, %s, affects no other thread, and its own for at most five minutes',
  async (_, afterMs, groupLock) => {
    const poison = { text: POISON, afterMs };
    const end = await runScenario({ questions, goesOn, poison, groupLock, plan: () => undefined });
    expect(findViolations(end)).toEqual([]);
    const delays = waits(end);
    const [own = Infinity, next = Infinity] = [delays[4], delays[THREADS]];
    const others = delays.filter((_wait, n) => n !== 4 && n !== THREADS);
    // 15 s of answer; if the first process died, 30 s until another receives it.
    expect(Math.max(...others)).toBeLessThanOrEqual(afterMs / 1000 + 30 + 16);
    expect(own).toBeLessThan(5 * 60);
    expect(next).toBeLessThan(5 * 60);
  },
);
