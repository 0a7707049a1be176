import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { PROJECT } from '../../infra/checks/tree.ts';

/** How the suites ended: all passed, one failed (its path), or they were ended after the time they have. */
export type Outcome = {
  readonly end: 'passed' | 'failed' | 'late';
  readonly suite?: string;
  readonly ms: number;
};
/** A file with the text that is to be loaded in its place. */
export type Replaced = { readonly path: string; readonly text: string };

const JEST = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
const OVERLAY = pathToFileURL(join(import.meta.dirname, 'overlay.ts')).href;
const KILLED_AFTER_MS = 2_000;

const report = z.object({
  testResults: z.array(z.object({ name: z.string(), status: z.string() })),
});

/** Runs suites one after the other, with one file replaced (or as it is), until one fails or the time is over. */
export async function runSuites(
  suites: readonly string[],
  limitMs: number,
  replaced?: Replaced,
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mutant-'));
  try {
    const out = join(folder, 'jest.json');
    const env = await environment(folder, suites, replaced);
    const start = performance.now();
    const late = await ended(spawnJest(suites, out, env), limitMs);
    const ms = performance.now() - start;
    if (late) return { end: 'late', ms };
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
  const order = join(import.meta.dirname, 'order.ts');
  return spawn(process.execPath, [JEST, ...args, order, '--runTestsByPath', ...suites], {
    cwd: PROJECT,
    env,
    // A group of its own, so that what a suite started ends with it.
    detached: true,
    stdio: 'ignore',
  });
}

/** Waits for the end. Resolves with whether it had to be ended. */
async function ended(child: ReturnType<typeof spawn>, limitMs: number): Promise<boolean> {
  let late = false;
  const signal = (name: NodeJS.Signals): void => {
    late = true;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  const timer = setTimeout(() => signal('SIGTERM'), limitMs);
  const killer = setTimeout(() => signal('SIGKILL'), limitMs + KILLED_AFTER_MS);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  clearTimeout(timer);
  clearTimeout(killer);
  return late;
}

async function outcomeIn(out: string): Promise<Pick<Outcome, 'end' | 'suite'>> {
  const text = await readFile(out, 'utf8').catch(() => undefined);
  // The process itself came to an end: no suite lives through this change.
  if (text === undefined) return { end: 'failed', suite: 'the process ended' };
  const failed = report.parse(JSON.parse(text)).testResults.find(({ status }) => status === 'failed');
  return failed === undefined
    ? { end: 'passed' }
    : { end: 'failed', suite: failed.name.slice(PROJECT.length + 1) };
}
