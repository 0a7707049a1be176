import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { bundleFile } from '../../infra/cdk/bundle.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import type { Row } from './report-table.ts';

const measured = v.object({ mb: v.number(), seconds: v.number() });

/**
 * The additional idle memory of the large worker over the process that is measured here, which loads only what it
 * needs.
 */
const REST_OF_WORKER_MB = 30;
const LIMIT_MB = TASKS.largeWorkerMemoryMb - REST_OF_WORKER_MB;
/** As Lambda starts Node in 512 MB. */
const FLAGS = ['--max-old-space-size=460', '--max-semi-space-size=25'];
const WHAT = {
  pictures: 'a question with three pictures of 5 MB',
  texts: 'a question with five text files of 10 MB',
} as const;

/** The peak memory of a process that answers a question with files, as the large worker does. */
export async function memory(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-memory-'));
  const server = slowModel();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
    const code = join(folder, 'memory-run.js');
    bundleFile('test/bench/memory-run.ts', code);
    const rows: Row[] = [];
    for (const [what, words] of Object.entries(WHAT)) {
      const args = [...FLAGS, code, what, `http://127.0.0.1:${port}`];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const { mb, seconds } = v.parse(measured, JSON.parse(stdout));
      rows.push({ what: `${words}, most memory`, value: mb, unit: 'MB', limit: LIMIT_MB });
      rows.push({ what: `${words}, all answered`, value: seconds, unit: 's' });
    }
    return rows;
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Reads the request, sends a word, and ends a second later. */
function slowModel(): Server {
  return createServer((request, response) => {
    const say = (delta: object, finish: string | null): void => {
      const chunk = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'model' };
      const choices = [{ index: 0, delta, finish_reason: finish }];
      response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`);
    };
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      say({ role: 'assistant', content: 'Hi' }, null);
      setTimeout(() => {
        say({}, 'stop');
        response.end('data: [DONE]\n\n');
      }, 1_000);
    });
  });
}
