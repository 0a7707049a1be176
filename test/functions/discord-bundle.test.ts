import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundle } from '../../infra/cdk/bundle.ts';

test('the bundle of the Discord front has at most 40 KB, so that it starts and responds within 3 s', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  const file = join(folder, 'index.js');
  bundle('discord-interactions', file);
  expect(statSync(file).size).toBeLessThanOrEqual(40 * 1_024);
  rmSync(folder, { recursive: true });
});
