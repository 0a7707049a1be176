import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildTemplate, LOCAL_CONTEXT } from '../../../../infra/local/template/build.ts';

const TEMPLATE = 'Parley.template.json';

test('the first start reports the build and its duration; the next one builds nothing', async () => {
  // What the CDK itself builds runs in each journey; a second build would take ten seconds.
  const { dir, template } = await buildTemplate();
  const folder = mkdtempSync(join(tmpdir(), 'parley-build-'));
  const builds: unknown[] = [];
  const build = async (out: string, context: object): Promise<void> => {
    builds.push(context);
    copyFileSync(join(dir, TEMPLATE), join(out, TEMPLATE));
  };
  try {
    const lines: string[] = [];
    const first = await buildTemplate((line) => void lines.push(line), folder, build);
    expect(lines).toEqual([
      expect.stringMatching(/^Building /u),
      expect.stringMatching(/^Built in [\d.]+ s\.$/u),
    ]);
    const again = await buildTemplate((line) => void lines.push(line), folder, build);
    expect([first.wasBuilt, again.wasBuilt, lines.length]).toEqual([true, false, 2]);
    expect([first.template, again.template]).toEqual([template, template]);
    expect(builds).toEqual([LOCAL_CONTEXT]);
    expect([dir, first.dir]).toEqual([expect.not.stringContaining(folder), again.dir]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
