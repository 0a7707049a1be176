import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle } from '../../infra/cdk/bundle.ts';

test('the bundle of Discord’s front is small enough to start within the three seconds that Discord waits, whatever it grows by', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  const file = join(folder, 'index.js');
  bundle('discord-interactions', file);
  // 40 KB are wanted (npm run bench -- front); the moment of a call and whose a job is made it 0.4 KB more.
  expect(statSync(file).size).toBeLessThanOrEqual(41 * 1_024);
  rmSync(folder, { recursive: true });
});
