import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../infra/cdk/bundle.ts';
import { inBareStarts, median, measureStart } from './bare-node.ts';
import type { Row } from './report-table.ts';
import { signatureWork } from './signature.ts';

const RUNS = 25;

/** The maximum size (KB) and start time (ms) of each front. */
const FRONTS = [
  { of: 'Slack', entry: 'slack-events', kb: 160, ms: 31.4 },
  { of: 'Discord', entry: 'discord-interactions', kb: 40, ms: 10 },
] as const;

/** Nothing listens on this address: requests after the start are not part of the start. */
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
 * The bundle size of each front, the additional time over bare Node of a new process that loads it and builds
 * everything, and the cost of bad signatures. Medians of 25 processes each, interleaved so that all see the same
 * load.
 */
export async function frontStart(): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  try {
    writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
    const starts = FRONTS.flatMap(({ of, entry, kb, ms }) => {
      const file = join(dir, `${entry}.js`);
      bundle(entry, file);
      const load = `require(${JSON.stringify(file)});`;
      const times = Array.from(
        { length: RUNS },
        () => [measureStart('', ENVIRONMENT), measureStart(load, ENVIRONMENT)] as const,
      );
      const bare = median(times.map(([alone]) => alone));
      const over = median(times.map(([, loaded]) => loaded)) - bare;
      return [
        { what: `${of} front: bundle`, value: statSync(file).size / 1024, unit: 'KB', limit: kb },
        { what: `${of} front: start over bare Node, median`, value: over, unit: 'ms', limit: ms },
        inBareStarts(`${of} front`, over, ms, bare),
      ];
    });
    return [...starts, ...signatureWork()];
  } finally {
    rmSync(dir, { recursive: true });
  }
}
