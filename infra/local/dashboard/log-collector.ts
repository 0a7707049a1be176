import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type LogRecord, parseLogLine, RecordStore } from '../../dashboard/index.ts';

/** Records in memory: some thousand questions. */
const MAX_RECORDS = 20_000;
/** How much of each stored log file is read, from its end. */
const MAX_STORED_BYTES = 1024 * 1024;
/** Lines of exceptions have no time, so only the running system knows when they were logged. */
const LOG_FILE = /^(?<name>[\w-]+)\.log(?:\.1)?$/u;

export type LogCollector = {
  readonly observe: (name: string, line: string) => void;
  /** Returns the records of this run, and of earlier runs as far as their logs are stored. */
  readonly list: () => Promise<readonly LogRecord[]>;
};

/** Collects the log lines of the functions in memory. Reads the stored files once, when somebody looks for the first time. */
export function createLogCollector(directory: string, now: () => number): LogCollector {
  const startedAt = now();
  const current = new RecordStore(MAX_RECORDS);
  let stored: Promise<readonly LogRecord[]> | undefined;
  return {
    observe(name, line) {
      const record = parseLogLine(name, line, now());
      if (record) current.add(record);
    },
    async list() {
      stored ??= readStoredRecords(directory, startedAt);
      const live = current.list();
      return [...(await stored), ...live].slice(-Math.max(MAX_RECORDS, live.length));
    },
  };
}

/** Reads the newest records of all files that were logged before `until` (ms since 1970), oldest first. */
export async function readStoredRecords(directory: string, until: number): Promise<readonly LogRecord[]> {
  const files = readdirSync(directory).filter((file) => LOG_FILE.test(file));
  const store = new RecordStore(MAX_RECORDS);
  const records: LogRecord[] = [];
  for (const file of files) {
    const name = LOG_FILE.exec(basename(file))?.groups?.['name'] ?? file;
    for (const line of (await readEnd(join(directory, file))).split('\n')) {
      const record = parseLogLine(name, line);
      if (record && record.at < until) records.push(record);
    }
  }
  for (const record of records.toSorted((a, b) => a.at - b.at)) store.add(record);
  return store.list();
}

/** Returns the end of a file; nothing if it cannot be read, because it was just moved. The first line may be incomplete. */
async function readEnd(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, MAX_STORED_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
