import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..', '..');
const STEP_TIMEOUT_MS = 300_000;

/** Runs a command in the project's folder; exits with its status when it fails. */
function run(name: string, command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, {
    cwd: PROJECT,
    stdio: 'inherit',
    timeout: STEP_TIMEOUT_MS,
  });
  if (status === 0) return;
  console.error(`${name} failed${error === undefined ? '' : `: ${error.message}`}.`);
  process.exit(status ?? 1);
}

/**
 * Runs the tests of a folder that is a package of its own: installs what it needs where that is missing or out of date, checks the types
 * and runs jest with the folder's configuration and the arguments of this process. Exits with 1 or more when a step fails.
 */
export function runPackage(folder: string): void {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
    run('npm ci', 'npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-fund', '--no-audit']);
  }
  const tool = (...path: string[]): string => join(PROJECT, 'node_modules', ...path);
  run('tsc', process.execPath, [tool('typescript', 'bin', 'tsc'), '--noEmit', '-p', folder]);
  run('jest', process.execPath, [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    tool('jest', 'bin', 'jest.js'),
    '--config',
    join(folder, 'jest.config.js'),
    '--silent',
    ...process.argv.slice(2),
  ]);
}
