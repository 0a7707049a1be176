import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readIdentity, storeSlackPort } from '../../../infra/local/services/identity.ts';
import { getStartTime, lockFolder } from '../../../infra/local/lock.ts';
import { openLogs } from '../../../infra/local/functions/logs.ts';
import { scratch } from './sample-template.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

describe('the data folder', () => {
  test('belongs to one system at a time, and then to the next', () => {
    const release = lockFolder(folder.directory);
    expect(() => lockFolder(folder.directory)).toThrow(
      `process ${process.pid}) is running on the data folder`,
    );
    release();
    lockFolder(folder.directory)();
    expect(readdirSync(folder.directory)).toEqual([]);
  });

  test('is free again after its holder was killed', async () => {
    const module = join(import.meta.dirname, '../../../infra/local/lock.ts');
    const script = join(folder.directory, 'hold.ts');
    const inner = join(folder.directory, 'data');
    writeFileSync(
      script,
      `import { mkdirSync } from 'node:fs'; import { lockFolder } from ${JSON.stringify(module)};
       mkdirSync(${JSON.stringify(inner)}); lockFolder(${JSON.stringify(inner)}); console.log('held'); setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    let owner: unknown;
    try {
      lockFolder(inner);
    } catch (error) {
      owner = error;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(String(owner)).toContain(`process ${child.pid})`);
    const release = lockFolder(inner);
    expect(() => lockFolder(inner)).toThrow('is running');
    release();
  });

  test('is free where this process has replaced its program, which it does after a full disk, before it gave the folder up', () => {
    const release = lockFolder(folder.directory);
    const file = join(folder.directory, 'lock');
    const [pid, started] = readFileSync(file, 'utf8').split(' ');
    release();
    writeFileSync(file, `${pid} ${started} of-the-program-before`);
    lockFolder(folder.directory)();
    expect(readdirSync(folder.directory)).toEqual([]);
  });

  // Without /proc such a process cannot be told from a running one.
  (existsSync('/proc/self/stat') ? test : test.skip)(
    'is free where its holder was killed and nobody collects it',
    async () => {
      const shell = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      });
      if (!shell.stdout) throw new Error('the shell has no output');
      const output: unknown[] = await once(shell.stdout, 'data');
      const pid = String(output[0]).trim();
      // A shell would reap it; the program that replaced the shell does not.
      while (readFileSync(`/proc/${shell.pid}/comm`, 'utf8') !== 'sleep\n') await setImmediate();
      shell.stdio[3]?.destroy();
      const stat = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      while (stat()[0] !== 'Z') await setImmediate();
      writeFileSync(join(folder.directory, 'lock'), `${pid} ${stat()[19]} killed`);
      lockFolder(folder.directory)();
      shell.kill('SIGKILL');
    },
  );

  test.each([
    [
      'as Linux tells it',
      '7 (no)de) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20',
      undefined,
      '4711',
    ],
    ['of a zombie', '7 (node) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20', 'Sun Nov 29', '-'],
    ['as macOS tells it', undefined, 'Sun Nov 29 19:47:32 2026\n', 'Sun_Nov_29_19:47:32_2026'],
    ['of a process that has ended', undefined, '', '-'],
    ['where nothing tells it', undefined, undefined, '-'],
  ])('tells holders with the same number apart by their start time, %s', (_, stat, ps, expected) => {
    expect(getStartTime(7, { stat: () => stat, ps: () => ps })).toBe(expected);
  });

  test('with a lock of a running process whose start time was not known is in use', () => {
    writeFileSync(join(folder.directory, 'lock'), `${process.ppid} - of-an-older-version`);
    expect(() => lockFolder(folder.directory)).toThrow('is running on the data folder');
  });

  test.each(['', 'nonsense', `${process.pid} 12 of-another-process-with-my-number`])(
    'a lock with the content "%s" is stale',
    (content) => {
      writeFileSync(join(folder.directory, 'lock'), content);
      lockFolder(folder.directory)();
      expect(readdirSync(folder.directory)).toEqual([]);
    },
  );

  test('keeps its local credentials, readable by this user only', () => {
    const first = readIdentity(folder.directory);
    storeSlackPort(folder.directory, first, 4321);
    expect(readIdentity(folder.directory)).toEqual({ ...first, slackPort: 4321 });
    expect(first.signingSecret).toMatch(/^[0-9a-f]{32}$/);
    expect(statSync(join(folder.directory, 'identity.json')).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder.directory, 'identity.json'), '{"signing');
    expect(() => readIdentity(folder.directory)).toThrow('is damaged');
  });

  test('keeps logs within a size limit', () => {
    const logs = openLogs(join(folder.directory, 'logs'));
    for (let n = 0; n < 130; n += 1) logs.note(`${n} ${'x'.repeat(100_000)}`);
    const sizes = readdirSync(join(folder.directory, 'logs')).map(
      (name) => statSync(join(folder.directory, 'logs', name)).size,
    );
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThan(6_000_000);
    expect(readFileSync(join(folder.directory, 'logs', 'engine.log'), 'utf8')).toContain('129 x');
  });
});
