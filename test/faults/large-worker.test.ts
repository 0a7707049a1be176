import { expect, test } from '@jest/globals';
import { findViolations } from './find-violations.ts';

import type { ScenarioResult, ScenarioOptions } from './options.ts';
import { ONE_QUESTION } from './questions.ts';
import { runScenario } from './scenario.ts';
import type { Fault } from './fault-kinds.ts';
import type { FaultPlan } from './harness.ts';

/** Chunks of an answer of 15 s. */
const goesOn = { pieces: Array.from({ length: 15 }, (_, n) => `, then ${n}`), everyMs: 1_000 };

const play = (large: ScenarioOptions['large'], plan: FaultPlan = () => undefined): Promise<ScenarioResult> =>
  runScenario({ questions: ONE_QUESTION, goesOn, large, plan });

/** The steps of each process, in order. */
const stepsOf = ({ harness }: ScenarioResult) =>
  harness.trace.map((line) => {
    const [, at = '', process = '', what = ''] = /^(\d+) \d+ (\S+ \d+|\S+) (.*)$/u.exec(line) ?? [];
    return { at: Number(at), process, what };
  });

const isWorker = (process = ''): boolean => /^(?:worker|isolated)/u.test(process);

test.each(['at once', 'when claimed'] as const)(
  'a task that is too large (%s) is done by a process of its own without delay',
  async (large) => {
    const end = await play(large);
    expect(findViolations(end)).toEqual([]);
    const [ts = ''] = end.questionIds;
    // The answer takes 15 s.
    expect((end.endedAt.get(ts) ?? Infinity) - 1000 * Number(ts)).toBeLessThan(17_000);
    expect(end.requests).toBe(1);
    const steps = stepsOf(end);
    expect(steps.filter(({ what }) => what.startsWith('isolate'))).toHaveLength(1);
    const committed = steps.find(({ what }) => what.startsWith('update conversations SET body'));
    expect(committed?.process).toMatch(/^isolated/u);
  },
);

test.each<[ScenarioOptions['large'], Fault]>([
  ['at once', 'die-before'],
  ['at once', 'die-after'],
  ['when claimed', 'die-before'],
  ['when claimed', 'die-after'],
])(
  'when one of the two processes dies anywhere (%s, %s), the answer continues within 30 s, once and in order',
  async (large, fault) => {
    const normal = stepsOf(await play(large));
    const points = [...normal.keys()].filter((at) => isWorker(normal[at]?.process));
    const late: string[] = [];
    for (const point of points) {
      const end = await play(large, (index) => (index === point ? fault : undefined));
      expect(findViolations(end)).toEqual([]);
      const steps = stepsOf(end);
      const died = steps[point];
      if (!died) throw new Error('nobody died');
      const next = steps
        .slice(point + 1)
        .find(({ process, what }) => process.startsWith('isolated') && what.includes('SET lease'));
      const took = next ? (next.at - died.at) / 1000 : 0;
      // Before the worker extends the visibility timeout, the queue's own holds, which Lambda requires to be at least
      // the function timeout.
      const first = steps.findIndex(({ process }) => process === died.process);
      const unheard = fault === 'die-before' && point === first && died.process.startsWith('worker');
      if (took > 30 && !unheard) late.push(`${died.what}: ${took} s`);
    }
    expect(late).toEqual([]);
    expect(points.length).toBeGreaterThan(20);
  },
);
