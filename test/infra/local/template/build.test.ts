import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildTemplate } from '../../../../infra/local/template/build.ts';

test('the first start reports the build and its duration; the next one builds nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-build-'));
  try {
    const lines: string[] = [];
    const first = await buildTemplate((line) => void lines.push(line), folder);
    expect(lines).toEqual([
      expect.stringMatching(/^Building /u),
      expect.stringMatching(/^Built in [\d.]+ s\.$/u),
    ]);
    const again = await buildTemplate((line) => void lines.push(line), folder);
    expect([first.wasBuilt, again.wasBuilt, lines.length]).toEqual([true, false, 2]);
    expect(again.template).toEqual(first.template);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
