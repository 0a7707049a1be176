import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { RECORD_TO, type RecordedExchange } from '../simulators/recorder.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const JOURNEYS_TIMEOUT_MS = 10 * 60_000;

const exchangeShape = v.object({
  platform: v.picklist(['slack', 'discord']),
  kind: v.picklist(['call', 'delivery']),
  operation: v.string(),
  query: v.optional(v.record(v.string(), v.string())),
  request: v.optional(v.unknown()),
  files: v.optional(v.array(v.string())),
  status: v.optional(v.number()),
  response: v.optional(v.unknown()),
});

/** What was recorded in a folder. Throws for a line that is no exchange. */
export async function readExchanges(folder: string): Promise<RecordedExchange[]> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  return lines.map((line) => ({ request: undefined, ...v.parse(exchangeShape, JSON.parse(line)) }));
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
