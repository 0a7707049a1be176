import type { LogRecord } from '../../dashboard/index.ts';
import type { ReadLogs } from '../operator/read-logs.ts';
import { followSearch } from '../tail/follow-logs.ts';

/** The log lines of the last time in memory. They are read once, and later only what is new. */
export type LogWindow = {
  /** Reads what is new, and back to `getFromMs` (which may grow meanwhile) as far as there is room. Rejects with OperatorError. */
  readonly read: (getFromMs: () => number) => Promise<void>;
  /** Oldest first. */
  readonly list: () => readonly LogRecord[];
  /** From when on the lines are there (ms since 1970); undefined before the first read. */
  readonly coveredFrom: () => number | undefined;
  /** False if lines are missing: AWS had more than were read in time, or than there is room for. */
  readonly isComplete: () => boolean;
};

/** Lines in memory: about 10 MB. Each search gets pages of at most 1 MB. */
export const MAX_LINES = 20_000;
/** The first search. Each further one goes back twice as far, so that a busy deployment soon has its last lines. */
export const FIRST_SEARCH_MS = 15 * 60_000;

/** Creates a window that is empty at first. */
export function createLogWindow(readLogs: ReadLogs, now: () => number): LogWindow {
  let records: readonly LogRecord[] = [];
  let coveredFrom: number | undefined;
  let isComplete = true;
  let hasRoom = true;
  const search: ReadLogs = async (query) => {
    const page = await readLogs(query);
    if (!page.isComplete) isComplete = false;
    return page;
  };
  const startMs = now() - FIRST_SEARCH_MS;
  const follow = followSearch(search, { fromMs: startMs }, now);
  const keep = (more: readonly LogRecord[]): void => {
    const all = [...records, ...more].toSorted((a, b) => a.at - b.at);
    records = all.slice(-MAX_LINES);
    if (all.length <= MAX_LINES) return;
    hasRoom = false;
    isComplete = false;
    coveredFrom = records[0]?.at ?? coveredFrom;
  };
  return {
    async read(getFromMs) {
      const fresh = await follow();
      coveredFrom ??= startMs;
      keep(fresh);
      for (let length = FIRST_SEARCH_MS; hasRoom && coveredFrom > getFromMs(); length *= 2) {
        const from = Math.max(getFromMs(), coveredFrom - length);
        const page = await search({ fromMs: from, untilMs: coveredFrom - 1 });
        coveredFrom = from;
        keep(page.records);
        // An incomplete search lacks the last lines of its time: those before it would leave a hole.
        if (!page.isComplete) hasRoom = false;
      }
    },
    list: () => records,
    coveredFrom: () => coveredFrom,
    isComplete: () => isComplete,
  };
}
