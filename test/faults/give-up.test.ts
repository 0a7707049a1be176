import { expect, test } from '@jest/globals';
import { findViolations } from './find-violations.ts';
import { runScenario } from './scenario.ts';
import type { FaultPlan } from './harness.ts';

/** Chunks of an answer of a minute: the next question is still being answered when the late write takes effect. */
const goesOn = { pieces: Array.from({ length: 60 }, (_, n) => `, then ${n}`), everyMs: 1_000 };

/** Three questions of one thread; the last is merged into the answer to the second. */
const questions = [
  { text: 'one?', afterMs: 0 },
  { text: 'two?', afterMs: 10 },
  { text: 'three?', afterMs: 10 },
];

/**
 * A worker that died stores the answer to both 100 s late, and every worker that receives the task dies until it is
 * given up.
 */
function lateCommit(): FaultPlan {
  let commits = 0;
  let deaths = 0;
  return (_, name) => {
    if (name.startsWith('update conversations SET body') && (commits += 1) === 2) return 'die-late';
    const isTakenUp = commits === 2 && deaths < 2 && name.startsWith('update conversations SET lease');
    if (!isTakenUp) return undefined;
    deaths += 1;
    return 'die-before';
  };
}

test('an answer that is stored after its task was given up is rejected, since its merged questions have an answer of their own by then', async () => {
  const end = await runScenario({ questions, goesOn, plan: lateCommit() });
  expect(end.harness.trace.filter((line) => /!! die/u.test(line))).toHaveLength(3);
  expect(findViolations(end)).toEqual([]);
});
