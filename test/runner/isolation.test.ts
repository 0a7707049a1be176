import { afterAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT, readSourceTree } from '../../infra/checks/source-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-runner-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Expects the process as jest started it, then changes what a suite can change. */
const SUITE = `
  import { expect, jest, test } from '@jest/globals';
  test('the process is as jest started it', () => {
    expect(globalThis.leftBehind).toBeUndefined();
    expect(typeof fetch).toBe('function');
    expect(typeof structuredClone).toBe('function');
    expect(process.env.LEFT_BEHIND).toBeUndefined();
    expect(process.env.CHANGED).toBe('no');
    expect(process.env.REMOVED).toBe('no');
    expect(Math.random()).toBeLessThan(1);
    expect(Date.now()).toBeGreaterThan(1_000_000);
    globalThis.leftBehind = 1;
    globalThis.fetch = 1;
    delete globalThis.structuredClone;
    process.env.LEFT_BEHIND = 'yes';
    process.env.CHANGED = 'yes';
    delete process.env.REMOVED;
    jest.spyOn(Math, 'random').mockReturnValue(7);
    jest.useFakeTimers({ now: 0 });
  });
`;

test('a suite does not see global variables, environment variables, spies and fake timers of the suite before it in its process', async () => {
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.test.ts`), SUITE);
  const config = {
    rootDir: folder,
    testEnvironment: join(import.meta.dirname, 'environment.ts'),
    testRunner: join(import.meta.dirname, 'suite.ts'),
    transform: {},
    testMatch: ['**/*.test.ts'],
  };
  const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [jest, '--runInBand', '--config', JSON.stringify(config)];
  const env = { ...process.env, CHANGED: 'no', REMOVED: 'no' };
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(stderr).toContain('Tests:       2 passed, 2 total');
});

/** State of a module that changes while the process runs, as code writes it at the beginning of a line. */
const MODULE_STATE =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});)/gmu;

test('modules, which suites of a process share, keep no state but caches of pure functions', async () => {
  const sources = (await readSourceTree()).filter(({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path));
  const state = sources.flatMap(({ path, text }) =>
    [...text.matchAll(MODULE_STATE)].map(([, variable, constant]) => `${path}: ${variable ?? constant}`),
  );
  expect(state).toEqual([
    'functions/composition/dynamo.ts: clients',
    'shared/aws/sigv4.ts: keyCache',
    'shared/billing/budgets/rules.ts: dateFormats',
    'shared/domain/stored-names.ts: inverses',
    'shared/i18n/translate.ts: formats',
    'shared/i18n/translation-languages.ts: codesByName',
    // Whether it listens to requests, which it then does for good.
    'shared/runtime/outgoing-calls.ts: isObserving',
    'shared/schedules/rules/to-instant.ts: formats',
    'shared/storage/rate-limits/bucket-item.ts: entryCache',
    // In threads of their own.
    'shared/task-queue/watchdog-thread.ts: last',
    'shared/task-queue/watchdog-thread.ts: silent',
    // By socket, and as long as it.
    'shared/tools/renew-token.ts: renewals',
    'shared/upstream/http/paused-socket.ts: sockets',
    'shared/upstream/http/paused-socket.ts: prepared',
    'shared/upstream/http/paused-socket.ts: paused',
  ]);
});
