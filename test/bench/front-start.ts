import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../infra/bundle.ts';
import type { Row } from './row.ts';

const RUNS = 25;

/** What bare Node took where the limits in ms were set: a slower machine is held to the same share of its own. */
const BARE_MS = 18.5;

/** Each front with what it may weigh (KB) and cost at its start (ms). */
const FRONTS = [
  { of: 'Slack', entry: 'slack-events', kb: 200, ms: 40 },
  { of: 'Discord', entry: 'discord-interactions', kb: 40, ms: 10 },
] as const;

/** The address is closed: what the front fetches once it has started is not part of the start. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  CONVERSATIONS_TABLE: 'conversations',
  TASK_QUEUE_URL: 'http://127.0.0.1:9/1/tasks.fifo',
  VOICE_QUEUE_URL: 'http://127.0.0.1:9/1/voice',
  SLACK_SIGNING_SECRET_ID: 'signing',
  SLACK_BOT_SECRET_ID: 'bot',
  SEAL_KEY_ID: 'seal',
};

/**
 * How large the bundle of each front is, and how much longer than bare Node a fresh process takes that loads it and builds
 * everything. Medians of 25 processes each, taken in turn so that all see the same machine.
 */
export async function frontStart(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  try {
    writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
    return FRONTS.flatMap(({ of, entry, kb, ms }) => {
      const file = join(dir, `${entry}.js`);
      bundle(entry, file);
      const load = `require(${JSON.stringify(file)});`;
      const times = Array.from({ length: RUNS }, () => [run(''), run(load)] as const);
      const bare = median(times.map(([alone]) => alone));
      const over = median(times.map(([, loaded]) => loaded)) - bare;
      return [
        { what: `${of} front: bundle`, value: statSync(file).size / 1024, unit: 'KB', limit: kb },
        { what: `${of} front: start over bare Node, median`, value: over, unit: 'ms', limit: ms },
        {
          what: `${of} front: the same in starts of bare Node`,
          value: over / bare,
          unit: 'x',
          limit: Math.round((ms / BARE_MS) * 100) / 100,
        },
      ];
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * How long a fresh process takes until it has run this, in ms. It is killed there: one that exits first waits for a thread
 * in which Node reads its certificates as soon as `node:tls` is loaded, and that is no part of a start.
 */
function run(script: string): number {
  const start = performance.now();
  const { signal } = spawnSync(process.execPath, ['-e', `${script}process.kill(process.pid,'SIGKILL')`], {
    env: ENVIRONMENT,
    stdio: 'ignore',
  });
  if (signal !== 'SIGKILL') throw new Error(`The process ended before it had run: ${script}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
