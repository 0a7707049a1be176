import { existsSync, readdirSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type LogRecord, parseLogLine } from '../../dashboard/index.ts';
import type { LogQuery } from '../operator/cloudwatch-logs.ts';
import type { ReadLogs } from '../operator/read-logs.ts';

/** Returns the records that are new since the last call. */
export type FollowLogs = () => Promise<readonly LogRecord[]>;

const LOG_FILE = /^(?<name>[\w-]+)\.log$/u;
/** How much of a file is read at a time. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

/** Follows the log files of a folder, from their present ends. Files may appear later, and be rotated. */
export function followLogFiles(directory: string, now: () => number): FollowLogs {
  /** How much of each file was read, and its last line if it is incomplete. */
  const known = new Map<string, { readonly offset: number; readonly rest: string; readonly inode: number }>();
  let isFirst = true;
  return async () => {
    const files = existsSync(directory) ? readdirSync(directory).filter((file) => LOG_FILE.test(file)) : [];
    const records: LogRecord[] = [];
    for (const file of files) {
      const path = join(directory, file);
      const facts = await stat(path).catch(() => undefined);
      if (!facts) continue;
      const before = known.get(file);
      const isSame = before?.inode === facts.ino && facts.size >= before.offset;
      const offset = isSame ? before.offset : isFirst ? facts.size : 0;
      const text = `${isSame ? before.rest : ''}${await readFrom(path, offset, facts.size)}`;
      const lines = text.split('\n');
      known.set(file, {
        offset: Math.min(facts.size, offset + MAX_READ_BYTES),
        rest: lines.pop() ?? '',
        inode: facts.ino,
      });
      const name = LOG_FILE.exec(file)?.groups?.['name'] ?? file;
      records.push(...lines.flatMap((line) => parseLogLine(name, line, now()) ?? []));
    }
    isFirst = false;
    return records.toSorted((a, b) => a.at - b.at);
  };
}

async function readFrom(path: string, offset: number, size: number): Promise<string> {
  const length = Math.min(size - offset, MAX_READ_BYTES);
  if (length <= 0) return '';
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** CloudWatch shows lines some seconds late, and not in order. */
const OVERLAP_MS = 15_000;

/**
 * Follows logs that can only be searched, since `fromMs` (ms since 1970). Lines that arrive up to 15 s late are included, each once. After a failed
 * search, the next one has its lines too.
 */
export function followSearch(
  readLogs: ReadLogs,
  { fromMs, anyOf }: Pick<LogQuery, 'fromMs' | 'anyOf'>,
  now: () => number,
): FollowLogs {
  let seen = new Set<string>();
  let searchedUntil = fromMs;
  return async () => {
    const untilMs = now();
    const range = { fromMs: Math.max(fromMs, searchedUntil - OVERLAP_MS), untilMs };
    const { records } = await readLogs({ ...range, anyOf });
    const keyed = records.map((record) => [JSON.stringify(record), record] as const);
    const fresh = keyed.filter(([key]) => !seen.has(key)).map(([, record]) => record);
    seen = new Set(keyed.map(([key]) => key));
    searchedUntil = untilMs;
    return fresh;
  };
}
