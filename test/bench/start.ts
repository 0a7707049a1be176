import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { buildTemplate, LOCAL_CONTEXT, synthesize } from '../../infra/local/template/build.ts';
import { percentile, type Row } from './report-table.ts';

const RUNS = 5;
const PROJECT = join(import.meta.dirname, '..', '..');

/** The wait after `npm start`, with and without a build, its memory when idle, and the disk space of `npm ci`. */
export async function start(): Promise<Row[]> {
  await buildTemplate();
  const ready: number[] = [];
  for (let i = 0; i < RUNS; i += 1) ready.push(await untilReady());
  const idleMb = await idleMemory();
  const build = await buildTime();
  const cached = percentile(ready, 0.5);
  return [
    { what: 'npm start until ready, built before, median', value: cached / 1000, unit: 's', limit: 1.5 },
    { what: 'npm start when idle, memory of all its processes', value: idleMb, unit: 'MB', limit: 250 },
    {
      what: 'npm start until ready, with the first build',
      value: (cached + build) / 1000,
      unit: 's',
      limit: 8,
    },
    { what: 'node_modules on disk', value: diskMegabytes(), unit: 'MB', limit: 600 },
  ];
}

const untilReady = (): Promise<number> => whileRunning((readyMs) => Promise.resolve(readyMs));

/** After this time all functions were loaded once, and the sweeper has run. */
const IDLE_AFTER_MS = 25_000;

/** The resident memory of npm and all its children (MB). Pages that processes share count once. */
const idleMemory = (): Promise<number> =>
  whileRunning(async (_, group) => {
    await after(IDLE_AFTER_MS);
    return processesOf(group).reduce((sum, pid) => sum + proportionalKb(pid), 0) / 1024;
  });

function processesOf(group: number): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    // After the name in parentheses: state, parent, process group.
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[3] === String(group);
  });
}

const proportionalKb = (pid: string): number =>
  Number(/^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);

/** Runs `npm start` until `measure` has its figure, given the ms until it was ready and its process group. */
function whileRunning(measure: (readyMs: number, group: number) => Promise<number>): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const begin = performance.now();
  const child = spawn('npm', ['start', '--', '--port', '0', '--data', data], {
    cwd: PROJECT,
    detached: true,
  });
  return new Promise<number>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('Parley is running')) return;
      const { pid } = child;
      if (pid === undefined) return;
      child.stdout.removeAllListeners('data').resume();
      const measured = measure(performance.now() - begin, pid);
      child.once('exit', () => resolve(measured));
      void measured.catch(() => undefined).finally(() => process.kill(-pid, 'SIGTERM'));
    });
    child.once('error', reject);
  }).finally(() => rmSync(data, { recursive: true, force: true }));
}

async function buildTime(): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const begin = performance.now();
  await synthesize(out, LOCAL_CONTEXT);
  const took = performance.now() - begin;
  rmSync(out, { recursive: true, force: true });
  return took;
}

function diskMegabytes(): number {
  const output = execFileSync('du', ['-sk', join(PROJECT, 'node_modules')], { encoding: 'utf8' });
  return Number(output.split('\t')[0]) / 1024;
}
