import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import PACKAGE from '../../../package.json' with { type: 'json' };
import { isOutdated } from '../../../infra/cli/reference/write-reference.ts';
import { createProgram, main } from '../../../infra/parley/program.ts';
import { SILENT_TERMINAL } from '../../../infra/parley/terminal.ts';
import { NO_AWS } from './fake-aws.ts';
import { updateOptionReference } from '../../../infra/parley/write-option-reference.ts';

const PARLEY = join(import.meta.dirname, '..', '..', '..', 'infra', 'parley', 'parley.js');

/** Runs the program with a terminal of its own. */
async function run(...args: string[]) {
  const [printed, reported]: [string[], string[]] = [[], []];
  const code = await main(args, {
    print: (line) => void printed.push(line),
    report: (line) => void reported.push(line),
    hasColors: false,
    width: undefined,
    confirm: undefined,
    env: {},
  });
  return { code, printed: printed.join('\n'), reported: reported.join('\n') };
}

describe('the program', () => {
  test('lists its commands and exit codes with --help', async () => {
    const { code, printed } = await run('--help');
    expect(code).toBe(0);
    expect(printed).toContain('doctor');
    expect(printed).toContain('Exit codes: 0 success, 1 something failed, 2 wrong arguments.');
  });

  test('without arguments shows the help, and ends as with wrong arguments', async () => {
    const { code, printed } = await run();
    expect(code).toBe(2);
    expect(printed).toContain('parley <command>');
  });

  test('explains a command with help, and prints its version', async () => {
    const { code, printed } = await run('help', 'doctor');
    expect(code).toBe(0);
    expect(printed).toContain('parley doctor');
    expect((await run('help')).printed).toContain('parley <command>');
    const { version } = PACKAGE;
    expect(await run('--version')).toMatchObject({ code: 0, printed: version });
  });

  test.each([
    ['help for an unknown command', ['start', '--help'], /unknown command 'start'/],
    ['an unknown command', ['docter'], /unknown command 'docter'[^]*doctor/],
    ['an unknown option', ['doctor', '--jason'], /unknown option '--jason'/],
    ['an option without its value', ['doctor', '--slack-channel'], /argument missing/],
    ['a missing option', ['connect'], /required option '--stage <name>' not specified/],
    [
      'a missing argument of a command in a group',
      ['jobs', 'cancel'],
      /missing required argument 'id'[^]*"npx parley jobs cancel --help"/,
    ],
    ['a malformed time', ['redrive', '--timeout', 'x'], /such as 30m or 3d[^]*"npx parley redrive --help"/],
  ])('rejects %s with exit code 2', async (_, args, message) => {
    const { code, reported } = await run(...args);
    expect(code).toBe(2);
    expect(reported).toMatch(message);
  });

  test('has its options in the document', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8');
    expect(isOutdated(page, updateOptionReference(page))).toBe(false);
    expect(isOutdated(page, page.replace('`--timeout <time>`', '`--time <time>`'))).toBe(true);
  });

  test('explains each command, with examples', async () => {
    const program = createProgram(SILENT_TERMINAL, () => undefined);
    const visible = program.commands.map((command) => command.name()).filter((name) => name !== 'complete');
    for (const name of visible) {
      const { code, printed } = await run(name, '--help');
      expect(code).toBe(0);
      expect(printed).toContain('Examples:');
      // Times as people write them, and no defaults of switches.
      expect(printed).not.toMatch(/default: (?:\d{5,}|false)/u);
    }
  });
});

describe('as a process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    await writeFile(join(folder, '.env'), 'SLACK_BOT_TOKN=xoxb-secret\n', { mode: 0o600 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], ...NO_AWS };
      execFile(process.execPath, [PARLEY, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });

  test('doctor --json prints only JSON, and ends with 1 if a check failed', async () => {
    const { code, stdout } = await start('doctor', '--json', '--env', '.env');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    expect(stdout).toContain('Did you mean SLACK_BOT_TOKEN');
    expect(stdout).not.toContain('xoxb-secret');
  });

  test('reads the settings of the project in any folder, and not those of that folder', async () => {
    const { stdout } = await start('doctor', '--help');
    const settings = relative(folder, join(import.meta.dirname, '../../../.env'));
    expect(stdout.replaceAll(/\s/gu, '')).toContain(`(default:${settings})`);
  });

  test.each([
    ['doctor', '--json', '--env'],
    ['keys', 'list', '--env'],
    ['rehearse', '--env'],
  ])('%s %s with a folder in place of the file with the settings says so', async (...args) => {
    const { code, stderr } = await start(...args, '.');
    expect(code).toBe(1);
    expect(stderr).toBe('. is a folder: --env takes a file.\n');
  });

  test('rehearse with a file that does not exist does not use other settings', async () => {
    const { code, stderr } = await start('rehearse', '--env', 'typo.env');
    expect(code).toBe(1);
    expect(stderr).toBe('There is no file typo.env.\n');
  });

  test('connect without credentials of AWS ends with 1 and says how to get them', async () => {
    const { code, stderr } = await start('connect', '--stage', 'prod');
    expect(code).toBe(1);
    expect(stderr).toContain('aws sso login');
  });

  test('complete prints a script for the shell, which asks for the commands', async () => {
    expect((await start('complete', 'bash')).stdout).toContain('parley');
    expect((await start('complete', '--', 'doc')).stdout).toContain('doctor');
  });
});
