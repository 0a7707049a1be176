import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the clients where they are missing or out of date, checks the types of their tests, and runs these. */

const HERE = import.meta.dirname;
const PROJECT = join(HERE, '..', '..', '..');

/** Runs a command in the project's folder; ends with its status when it fails. */
function run(name: string, command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: PROJECT, stdio: 'inherit', timeout: 300_000 });
  if (status === 0) return;
  console.error(`${name} failed${error === undefined ? '' : `: ${error.message}`}.`);
  process.exit(status ?? 1);
}

const lock = join(HERE, 'package-lock.json');
const installed = join(HERE, 'node_modules', '.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  run('npm ci', 'npm', ['ci', '--prefix', HERE, '--ignore-scripts', '--no-fund', '--no-audit']);
}
const tool = (...path: string[]): string => join(PROJECT, 'node_modules', ...path);
run('tsc', process.execPath, [tool('typescript', 'bin', 'tsc'), '--noEmit', '-p', HERE]);
run('jest', process.execPath, [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  tool('jest', 'bin', 'jest.js'),
  '--config',
  join(HERE, 'jest.config.js'),
  '--silent',
  ...process.argv.slice(2),
]);
