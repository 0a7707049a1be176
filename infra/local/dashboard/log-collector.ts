import { type LogRecord, parseLogLine, readLogFiles, RecordStore } from '../../dashboard/index.ts';

/** Records in memory: some thousand questions. */
const MAX_RECORDS = 20_000;

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

/** Lines of exceptions have no time, so only the running system knows when they were logged. */
async function readStoredRecords(directory: string, until: number): Promise<readonly LogRecord[]> {
  const store = new RecordStore(MAX_RECORDS);
  for (const record of await readLogFiles(directory)) if (record.at < until) store.add(record);
  return store.list();
}
