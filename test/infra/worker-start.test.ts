import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStartModule } from '../../infra/cdk/lambda-function.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { plain, TemplateView } from './template.ts';

/** As Lambda starts Node with the worker's memory. */
const GIVEN = ['--expose-gc', '--max-http-header-size', '81920', '--max-semi-space-size=10'];

/**
 * Replaces the bundle: allocates much short-lived memory, and prints the median size of the young generation (MB).
 * A single reading is no measure: the threads of a collection may add pages that the next collection releases.
 */
const BUNDLE = `const { getHeapSpaceStatistics } = require('node:v8');
const sizes = [];
let lists = [];
for (let n = 0; n < 1e6; n += 1) {
  lists.push({ n, list: [n] });
  if (lists.length > 2e5) lists = lists.slice(1e5);
  if (n % 1e4 === 0) sizes.push(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
}
console.log(sizes.sort((a, b) => a - b)[sizes.length / 2] / 1024 ** 2);
`;

test('the young generation of the worker stays small, with any Node options of Lambda', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-worker-start-'));
  try {
    writeFileSync(join(folder, 'index.js'), BUNDLE);
    const young = (flags: readonly string[]): number => {
      writeFileSync(join(folder, 'start.mjs'), createStartModule(flags));
      return Number(
        execFileSync(process.execPath, [...GIVEN, join(folder, 'start.mjs')], { encoding: 'utf8' }),
      );
    };
    expect(young(TASKS.workerV8Flags)).toBeLessThanOrEqual(4);
    expect(young([])).toBeGreaterThan(10);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the deployed worker starts with these options', async () => {
  const built = await buildTemplate();
  const functions = new TemplateView(built.template).all('AWS::Lambda::Function');
  const worker = functions.find(({ id }) => plain(id) === 'WorkerFunction');
  expect(worker?.Properties).toMatchObject({
    Handler: 'start.handler',
    MemorySize: TASKS.workerMemoryMb,
    Environment: { Variables: TASKS.workerVariables },
  });
  const start = readFileSync(join(built.assetDir(worker?.id ?? ''), 'start.mjs'), 'utf8');
  expect(start).toBe(createStartModule(TASKS.workerV8Flags));
});
