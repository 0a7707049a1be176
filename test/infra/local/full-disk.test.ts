import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { createDiskSpace, isDiskFull, MIN_FREE_BYTES } from '../../../infra/local/emulator/disk-space.ts';
import { systemTime } from '../../../shared/runtime/time.ts';

const MB = 1024 * 1024;

test('a disk is full below a threshold, and free again above a higher one', () => {
  let left = MIN_FREE_BYTES;
  const lines: string[] = [];
  const space = createDiskSpace(
    '/data',
    (line) => void lines.push(line),
    () => left,
  );
  expect(space.isLow()).toBe(false);
  left = MIN_FREE_BYTES - 1;
  expect([space.isLow(), space.isLow()]).toEqual([true, true]);
  left = MIN_FREE_BYTES + MB;
  expect(space.isLow()).toBe(true);
  left = MIN_FREE_BYTES + 10 * MB;
  expect([space.isLow(), space.isLow()]).toEqual([false, false]);
  expect(lines).toEqual([
    expect.stringMatching(
      /\/data is full: 31 MB are left.*takes no questions until there are 40 MB.*Make room/,
    ),
    expect.stringContaining('room on the disk again'),
  ]);
});

test('errors of a full disk are told apart from others, also by their text', () => {
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  expect(isDiskFull(full)).toBe(true);
  expect(isDiskFull(new Error('the start failed', { cause: full }))).toBe(true);
  expect(isDiskFull(new Error('IO error: 000003.log: No space left on device'))).toBe(true);
  expect(isDiskFull(Object.assign(new Error('no'), { code: 'EACCES' }))).toBe(false);
  expect(isDiskFull('ENOSPC')).toBe(false);
});

/** A disk of a few megabytes, if this machine permits one. */
function smallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch {
    rmSync(directory, { recursive: true });
    return undefined;
  }
}

const disk = process.platform === 'linux' ? smallDisk() : undefined;
const whenThere = disk === undefined ? describe.skip : describe;
const START = join(import.meta.dirname, '..', '..', '..', 'infra', 'local', 'start.js');
/** Only for a system that never gets there: its output then tells why. */
const CONDITION_TIMEOUT_MS = 300_000;
const OURS = /^(?:SLACK|DISCORD|UPSTREAM)_/;

const addresses = v.object({
  api: v.string(),
  slack: v.object({
    apiUrl: v.string(),
    botToken: v.string(),
    signingSecret: v.string(),
    botUserId: v.string(),
    teamId: v.string(),
    channel: v.string(),
    users: v.array(v.object({ id: v.string() })),
  }),
});

/** A system in this folder, whose process a command starts. */
function systemIn(directory: string, command: readonly [string, ...string[]] = [process.execPath]) {
  const data = join(directory, 'data');
  let child: ChildProcess | undefined;
  let log = '';
  let exit: Promise<void> | undefined;
  const end = () => child?.exitCode ?? child?.signalCode ?? undefined;
  /** Waits for something that the system does. Rejects with its output if it ended or needs too long. */
  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const latest = performance.now() + CONDITION_TIMEOUT_MS;
    while (!(await holds())) {
      if (end() !== undefined) throw new Error(`npm start ended with ${end()} before: ${what}\n${log}`);
      if (performance.now() > latest)
        throw new Error(`not within ${CONDITION_TIMEOUT_MS / 1_000} s: ${what}\n${log}`);
      await systemTime.sleep(100);
    }
  }
  const local = () => v.parse(addresses, JSON.parse(readFileSync(join(data, 'local.json'), 'utf8')));

  async function start(): Promise<void> {
    await buildTemplate();
    mkdirSync(data);
    const others = Object.entries(process.env).filter(([name]) => !OURS.test(name));
    const [program, ...args] = command;
    child = spawn(program, [...args, START, '--port', '0', '--data', data], {
      cwd: directory,
      env: { ...Object.fromEntries(others), NODE_OPTIONS: '' },
    });
    exit = new Promise((resolve) => child?.once('exit', () => resolve()));
    for (const output of [child.stdout, child.stderr])
      output?.on('data', (chunk: Buffer) => void (log += chunk.toString()));
  }

  async function stop(): Promise<void> {
    child?.kill('SIGTERM');
    await exit;
  }

  /** Posts a mention as Slack does. Resolves with the status, or 0 without a response, and the ts of the mention. */
  async function ask(ts: string): Promise<number> {
    const { api, slack } = local();
    const seconds = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({
      type: 'event_callback',
      team_id: slack.teamId,
      event_id: `Ev${ts}`,
      authorizations: [{ team_id: slack.teamId, user_id: slack.botUserId, is_bot: true }],
      event: {
        type: 'app_mention',
        user: slack.users[0]?.id,
        channel: slack.channel,
        ts,
        text: `<@${slack.botUserId}> hello`,
      },
    });
    const digest = createHmac('sha256', slack.signingSecret).update(`v0:${seconds}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${digest}`,
    };
    return fetch(`${api}/slack/events`, { method: 'POST', headers, body }).then(
      ({ status }) => status,
      () => 0,
    );
  }

  async function isAnswered(ts: string): Promise<boolean> {
    const { apiUrl, botToken, botUserId, channel } = local().slack;
    const response = await fetch(new URL('conversations.replies', apiUrl.replace(/\/?$/u, '/')), {
      method: 'POST',
      headers: { authorization: `Bearer ${botToken}` },
      body: new URLSearchParams({ channel, ts }),
    }).catch(() => undefined);
    return (await response?.text())?.includes(`"user":"${botUserId}"`) ?? false;
  }

  return {
    start,
    stop,
    until,
    ask,
    isAnswered,
    log: () => log,
    count: (words: string): number => log.split(words).length - 1,
    pid: () => child?.pid ?? 0,
    end,
  };
}

whenThere('npm start on a disk that becomes full (skipped where no small disk can be mounted)', () => {
  const directory = disk ?? '';
  const fill = join(directory, 'fill');
  const { start, stop, until, ask, isAnswered, log, count, end } = systemIn(directory);

  beforeAll(async () => {
    writeFileSync(fill, Buffer.alloc(60 * MB));
    await start();
  });

  afterAll(async () => {
    await stop();
    execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true });
  });

  test('the system reports a full disk, accepts nothing, continues when there is space, and answers every accepted question', async () => {
    await until('it reports the full disk', () => log().includes('is full: '));
    expect(log()).not.toContain('ENOSPC');
    rmSync(fill);
    await until('it is ready', () => count('Stop it with Ctrl+C') === 1);
    expect(await ask('1790000000.000100')).toBe(200);

    // Nearly full: running work may end, nothing else starts.
    writeFileSync(fill, Buffer.alloc(55 * MB));
    expect(await ask('1790000001.000100')).toBe(503);
    await until('the first answer', () => isAnswered('1790000000.000100'));
    rmSync(fill);
    expect(await ask('1790000001.000100')).toBe(200);

    // Full to the last byte, during an answer.
    execFileSync('sh', ['-c', `cat /dev/zero > ${fill} 2>/dev/null || true`]);
    for (let i = 0; i < 3; i += 1) expect([0, 503]).toContain(await ask('1790000002.000100').catch(() => 0));
    rmSync(fill);
    await until(
      'it accepts a question again',
      async () => (await ask('1790000002.000100').catch(() => 0)) === 200,
    );
    await until('the second answer', () => isAnswered('1790000001.000100'));
    await until('the third answer', () => isAnswered('1790000002.000100'));
    expect(log()).not.toMatch(/LEVEL_IO_ERROR|at .*\.js:\d+/);
    expect(end()).toBeUndefined();
  });
});

/** Sets how large a file may be that a process writes: a write beyond it fails, for everybody, as on a disk that is full. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
const canLimitFiles = process.platform === 'linux' && existsSync('/usr/bin/prlimit');

(canLimitFiles ? describe : describe.skip)('npm start whose writes fail (skipped without prlimit)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-disk-'));
  // A process that does not ignore the signal is killed by it instead.
  const command = ['sh', '-c', 'trap "" XFSZ; exec "$@"', 'sh', process.execPath] as const;
  const { start, stop, until, ask, isAnswered, log, count, pid, end } = systemIn(directory, command);

  /** 0 while it restarts. */
  const tryToAsk = (ts: string): Promise<number> => ask(ts).catch(() => 0);

  beforeAll(start);

  afterAll(async () => {
    limitFiles(pid(), 'unlimited');
    await stop();
    rmSync(directory, { recursive: true });
  });

  test('the system says that the disk is full, accepts nothing, goes on by itself, and answers every accepted question', async () => {
    await until('it is ready', () => count('Stop it with Ctrl+C') === 1);
    expect(await ask('1790000000.000100')).toBe(200);
    limitFiles(pid(), 1);
    for (let i = 0; i < 3; i += 1) expect([0, 503]).toContain(await tryToAsk('1790000001.000100'));
    await until('it reports the full disk', () => log().includes('The disk is full: nothing can be written'));
    expect([0, 503]).toContain(await tryToAsk('1790000001.000100'));
    limitFiles(pid(), 'unlimited');
    await until('it accepts a question again', async () => (await tryToAsk('1790000001.000100')) === 200);
    await until('the first answer', () => isAnswered('1790000000.000100'));
    await until('the second answer', () => isAnswered('1790000001.000100'));
    expect(log()).not.toMatch(/EFBIG|LEVEL_IO_ERROR|at .*\.js:\d+/);
    expect(end()).toBeUndefined();
  });
});
