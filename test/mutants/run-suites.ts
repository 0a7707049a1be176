import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { PROJECT } from '../../infra/checks/source-tree.ts';
import { SUITE_ORDER } from './suite-order.ts';
import type { Suite } from './suites.ts';

/**
 * How the suites ended: all passed, one failed (its path), one of its tests, or all of it, took longer than it may, or jest ended
 * without a report.
 */
export type Outcome = {
  readonly end: 'passed' | 'failed' | 'late' | 'crashed';
  readonly suite?: string;
  readonly ms: number;
};
/** A file with the text that is to be loaded in its place. */
export type Replaced = { readonly path: string; readonly text: string };

const JEST = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
const OVERLAY = pathToFileURL(join(import.meta.dirname, 'overlay.ts')).href;
const KILLED_AFTER_MS = 2_000;
/** What jest itself takes to start, on a busy machine. */
const START_MS = 10_000;
/** A suite that takes so many times as long as it did, and some more, does not end. */
const TIMES = 8;
const SPARE_MS = 8_000;

const report = v.object({
  testResults: v.array(v.object({ name: v.string(), status: v.string(), message: v.string() })),
});
/** What jest says of a test that took too long: on a busy machine that may be no fault of the change. */
const TIMED_OUT = /Exceeded timeout of \d+ ms/u;

/** Runs suites one after the other, with one file replaced (or as it is), until one fails or does not end. */
export async function runSuites(suites: readonly Suite[], replaced?: Replaced): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mutant-'));
  try {
    const out = join(folder, 'jest.json');
    const names = suites.map(({ suite }) => suite);
    const env = await environment(folder, names, replaced);
    const start = performance.now();
    const late = await hangsIn(spawnJest(names, out, env), suites);
    const ms = performance.now() - start;
    if (late !== undefined) return { end: 'late', suite: late, ms };
    return { ...(await outcomeIn(out)), ms };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function environment(
  folder: string,
  suites: readonly string[],
  replaced: Replaced | undefined,
): Promise<NodeJS.ProcessEnv> {
  const { PARLEY_COVERED_TO: _, ...env } = process.env;
  const base = { ...env, PARLEY_MUTANT_SUITES: suites.join(',') };
  if (replaced === undefined) return base;
  const text = join(folder, 'mutated.ts');
  await writeFile(text, replaced.text);
  return {
    ...base,
    NODE_OPTIONS: `--import ${OVERLAY}`,
    PARLEY_MUTANT_URL: pathToFileURL(join(PROJECT, replaced.path)).href,
    PARLEY_MUTANT_TEXT: text,
  };
}

function spawnJest(suites: readonly string[], out: string, env: NodeJS.ProcessEnv): ReturnType<typeof spawn> {
  const args = ['-i', '--bail=1', '--silent', '--json', `--outputFile=${out}`, '--testSequencer'];
  return spawn(process.execPath, [JEST, ...args, SUITE_ORDER, '--runTestsByPath', ...suites], {
    cwd: PROJECT,
    env,
    // A group of its own, so that what a suite started ends with it.
    detached: true,
    // There jest says which suite has passed.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Waits for the end. Resolves with the suite that had to be ended, if any. */
async function hangsIn(
  child: ReturnType<typeof spawn>,
  suites: readonly Suite[],
): Promise<string | undefined> {
  let late: string | undefined;
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  const timers: NodeJS.Timeout[] = [];
  const watch = (at: number): void => {
    for (const timer of timers.splice(0)) clearTimeout(timer);
    const { suite, ms } = suites[at] ?? { suite: 'the end', ms: 0 };
    const limitMs = TIMES * ms + SPARE_MS + (at === 0 ? START_MS : 0);
    const end = (name: NodeJS.Signals) => () => {
      late = suite;
      signal(name);
    };
    timers.push(setTimeout(end('SIGTERM'), limitMs), setTimeout(end('SIGKILL'), limitMs + KILLED_AFTER_MS));
  };
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    watch(output.match(/^PASS /gmu)?.length ?? 0);
  });
  watch(0);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  for (const timer of timers) clearTimeout(timer);
  return late;
}

async function outcomeIn(out: string): Promise<Pick<Outcome, 'end' | 'suite'>> {
  const text = await readFile(out, 'utf8').catch(() => undefined);
  if (text === undefined) return { end: 'crashed' };
  const failed = v.parse(report, JSON.parse(text)).testResults.find(({ status }) => status === 'failed');
  if (failed === undefined) return { end: 'passed' };
  const suite = failed.name.slice(PROJECT.length + 1);
  return { end: TIMED_OUT.test(failed.message) ? 'late' : 'failed', suite };
}
