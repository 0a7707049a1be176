import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { RECORD_TO, type RecordedExchange } from '../simulators/recorder.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const JOURNEYS_TIMEOUT_MS = 10 * 60_000;

const exchangeShape = z.object({
  platform: z.enum(['slack', 'discord']),
  kind: z.enum(['call', 'delivery']),
  operation: z.string(),
  query: z.optional(z.record(z.string(), z.string())),
  request: z.optional(z.unknown()),
  files: z.optional(z.array(z.string())),
  status: z.optional(z.number()),
  response: z.optional(z.unknown()),
});

/** What was recorded in a folder. Throws for a line that is no exchange. */
export async function readExchanges(folder: string): Promise<RecordedExchange[]> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  return lines.map((line) => ({ request: undefined, ...exchangeShape.parse(JSON.parse(line)) }));
}

/** Runs the journeys, and resolves with what they recorded. Rejects where one of them fails: it may not have sent everything. */
export async function recordJourneys(): Promise<RecordedExchange[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-contract-'));
  try {
    const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
    const child = spawn(process.execPath, [jest, '--silent', 'test/journeys/'], {
      cwd: PROJECT,
      env: { ...process.env, [RECORD_TO]: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: JOURNEYS_TIMEOUT_MS,
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`the journeys ended with ${code}: npm test -- test/journeys`);
    return await readExchanges(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
