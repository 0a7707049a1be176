import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The exit of a process, and its output. */
async function run(what: 'hangs' | 'works') {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'watchdog-child.ts'), what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { output: await text(child.stdout), ...(await ended) };
}

test('a process that hangs is killed and logs it', async () => {
  const { output, signal } = await run('hangs');
  expect(signal).toBe('SIGKILL');
  expect(output).toContain('worker.hung');
});

test('a process that works is not killed and can exit', async () => {
  expect(await run('works')).toEqual({ output: 'worked', code: 0, signal: null });
});
