import { existsSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type LogRecord, parseLogLine } from './log-record.ts';

/** How much of each stored log file is read, from its end. */
const MAX_STORED_BYTES = 1024 * 1024;
const LOG_FILE = /^(?<name>[\w-]+)\.log(?:\.1)?$/u;

/** Reads the newest records of all log files of a local system, oldest first. Nothing if there is no such folder. */
export async function readLogFiles(directory: string): Promise<readonly LogRecord[]> {
  const files = existsSync(directory) ? readdirSync(directory).filter((file) => LOG_FILE.test(file)) : [];
  const records: LogRecord[] = [];
  for (const file of files) {
    const name = LOG_FILE.exec(basename(file))?.groups?.['name'] ?? file;
    for (const line of (await readEnd(join(directory, file))).split('\n')) {
      const record = parseLogLine(name, line);
      if (record) records.push(record);
    }
  }
  return records.toSorted((a, b) => a.at - b.at);
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
