import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

// In a process of its own: V8 counts the calls of files as Node loads them, and jest loads them in another way.
test('one Slack answer runs through at most 60 files of features, platforms and storage', async () => {
  const bench = join(import.meta.dirname, 'run.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [bench, 'answer-files']);
  const [, count, verdict] = /of these, in features.*?(\d+) files\s+<= 60 files\s+(\w+)/u.exec(stdout) ?? [];
  expect(Number(count)).toBeGreaterThan(40);
  // Merge a small file into the one that uses it; PARLEY_LIST=1 npm run bench -- answer-files lists them.
  expect(verdict).toBe('ok');
});
