import { expect, test } from '@jest/globals';
import { findViolations } from './find-violations.ts';
import { ONE_QUESTION } from './questions.ts';
import type { ScenarioResult } from './options.ts';
import { runScenario } from './scenario.ts';
import type { Fault } from './fault-kinds.ts';
import type { FaultPlan } from './harness.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';

/** Chunks of an answer of 15 s. */
const goesOn = { pieces: Array.from({ length: 15 }, (_, n) => `, then ${n}`), everyMs: 1_000 };
const play = (plan: FaultPlan): Promise<ScenarioResult> =>
  runScenario({ questions: ONE_QUESTION, goesOn, plan });

/** The steps of a run: time (ms), process, effect. */
const stepsOf = ({ harness }: ScenarioResult) =>
  harness.trace.map((line) => {
    const [, at = '', process = '', what = ''] = /^(\d+) \d+ (\S+ \d+|\S+) (.*)$/u.exec(line) ?? [];
    return { at: Number(at), process, what };
  });

/** The shared worker, or one that has only this message. */
const isWorker = (process = ''): boolean => /^(?:worker|isolated)/u.test(process);

test.each<Fault>(['die-before', 'die-after'])(
  'when a worker dies anywhere (%s), another continues its answer within 30 s; if it had sent no request yet, within 14.5 minutes',
  async (fault) => {
    const normal = stepsOf(await play(() => undefined));
    const points = [...normal.keys()].filter((at) => isWorker(normal[at]?.process));
    const late: string[] = [];
    for (const point of points) {
      const end = await play((index) => (index === point ? fault : undefined));
      const steps = stepsOf(end);
      const died = steps[point];
      const next = steps
        .slice(point + 1)
        .find(({ process, what }) => isWorker(process) && what.includes('SET lease'));
      if (!died) throw new Error('nobody died');
      // No worker continues when no work is left, which the result shows.
      const took = next ? (next.at - died.at) / 1000 : 0;
      if (took > 30) late.push(`${died.what}: ${took} s`);
      expect(findViolations(end)).toEqual([]);
    }
    // Only before a worker's first request the visibility timeout of the queue counts, which Lambda requires to be at least
    // the function timeout. Such a worker has not started an answer.
    expect(late).toEqual(fault === 'die-before' ? [`hide !! die-before: ${TASKS.visibilitySeconds} s`] : []);
    expect(points.length).toBeGreaterThan(20);
  },
);

test('without a crash, a turn costs six writes, as without recovery', async () => {
  const end = await play(() => undefined);
  const writes = stepsOf(end).filter(({ what }) => /^(?:put|update|delete) /u.test(what));
  // Record (Slack sends two events), lease, permit, first message, commit.
  expect(writes.map(({ what }) => what.split(' ').slice(0, 2).join(' '))).toEqual([
    'put conversations',
    'put conversations',
    'update conversations',
    'update tokens',
    'update conversations',
    'update conversations',
  ]);
  expect(end.store.items('tokens').some(({ pk }) => pk?.S?.startsWith('TASK#'))).toBe(false);
});
