import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../infra/bundle.ts';
import type { Row } from './row.ts';

const RUNS = 15;
const LIMIT_KB = 200;
const LIMIT_MS = 40;

/** The address is closed: the front starts to load its secret, and the load fails after the start is over. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  CONVERSATIONS_TABLE: 'conversations',
  TASK_QUEUE_URL: 'http://127.0.0.1:9/1/tasks.fifo',
  SLACK_SIGNING_SECRET_ID: 'signing',
};

/**
 * How large the bundle of the Slack front is, and how much longer than bare Node a fresh process takes that loads it
 * and builds everything. Medians of 15 processes each, taken in turn so that both see the same machine.
 */
export async function frontStart(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  try {
    const file = join(dir, 'index.js');
    bundle('slack-events', file);
    writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
    const bytes = statSync(file).size;
    const load = `require(${JSON.stringify(file)});process.exit()`;
    const times = Array.from({ length: RUNS }, () => [run(`process.exit()`), run(load)] as const);
    const over = median(times.map(([, loaded]) => loaded)) - median(times.map(([bare]) => bare));
    return [
      { what: 'Slack front: bundle', value: bytes / 1024, unit: 'KB', limit: LIMIT_KB },
      { what: 'Slack front: start over bare Node, median', value: over, unit: 'ms', limit: LIMIT_MS },
    ];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** How long a fresh process that runs this takes, in ms. */
function run(script: string): number {
  const start = performance.now();
  execFileSync(process.execPath, ['-e', script], { env: ENVIRONMENT, stdio: 'ignore' });
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
