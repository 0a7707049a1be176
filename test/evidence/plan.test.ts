import { expect, test } from '@jest/globals';
import { combineParts, evidencePlan, readResult, resultTable } from './plan.ts';

const OUTPUTS: Readonly<Record<string, string>> = {
  faults: '\n85 schedules (40 of them random) with 81 faults in 9 s: 2 wrong\n',
  isolation: 'x\n6000 operations, 137124 checks, 124 deliveries failed: 2 violations\n',
  inputs: 'slack: 136000 inputs\n400000 inputs in 159 s, seed 11: 2 wrong\n',
  'soak at 100 questions a second':
    '450 questions in 20 threads: 450 expected answers, 1 of them merged, 2 edited, 3 deleted; 440 requests; 2 wrong; 9 s, 8 s of them on the processor\n',
  kills: '8 kills, 30 user actions: 2 wrong; the slowest round ended 3.2 s after its last restart\n',
  'URLs and bombs': 'Test Suites: 1 failed, 1 passed, 2 total\nTests:       2 failed, 12 passed, 14 total\n',
};

test.each(evidencePlan('folder').map((command) => [command.name, command] as const))(
  'the evidence run reads the count and the failures of %s',
  (name, command) => {
    const output = OUTPUTS[name] ?? '';
    const result = readResult(command, output, { code: 1, seconds: 1 });
    expect(result.count).toBe(
      Number(
        /^\D*?(\d+)/u.exec(name === 'inputs' ? '400000' : name === 'URLs and bombs' ? '12' : output)?.[1],
      ),
    );
    expect(result.failures).toBe(2);
  },
);

test('the result of a command is the sum of its parts', () => {
  const part = { name: 'inputs', count: 5, failures: 1, seconds: 2 };
  expect(combineParts('inputs', [part, part])).toEqual({ ...part, count: 10, failures: 2, seconds: 4 });
  expect(combineParts('inputs', [part, { ...part, count: undefined }]).count).toBeUndefined();
});

test('the parts of a command have different seeds', () => {
  for (const { name, parts, args } of evidencePlan('folder')) {
    const runs = Array.from({ length: parts }, (_, part) => args(1, part).join(' '));
    expect([name, new Set(runs).size]).toEqual([name, parts]);
  }
});

test('a command without a result failed, also with exit code 0', () => {
  const [command] = evidencePlan('folder');
  if (!command) throw new Error('the plan is empty');
  const result = readResult(command, 'out of memory', { code: 0, seconds: 61 });
  expect(result).toMatchObject({ count: undefined, failures: 1 });
  expect(resultTable([result])).toContain('| faults | no result | 1 | 1 min 1 s |');
});
