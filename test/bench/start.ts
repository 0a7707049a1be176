import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildTemplate, LOCAL_CONTEXT, synthesize } from '../../infra/local/template/build.ts';
import { percentile, type Row } from './report-table.ts';

const RUNS = 5;
const PROJECT = join(import.meta.dirname, '..', '..');

/** The wait after `npm start`, with and without a build, and the disk space of `npm ci`. */
export async function start(): Promise<Row[]> {
  await buildTemplate();
  const ready: number[] = [];
  for (let i = 0; i < RUNS; i += 1) ready.push(await untilReady());
  const build = await buildTime();
  const cached = percentile(ready, 0.5);
  return [
    { what: 'npm start until ready, built before, median', value: cached / 1000, unit: 's', limit: 3 },
    {
      what: 'npm start until ready, with the first build',
      value: (cached + build) / 1000,
      unit: 's',
      limit: 8,
    },
    { what: 'node_modules on disk', value: diskMegabytes(), unit: 'MB', limit: 600 },
  ];
}

function untilReady(): Promise<number> {
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
      const took = performance.now() - begin;
      child.once('exit', () => resolve(took));
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
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
