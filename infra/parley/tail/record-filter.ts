import { type LogLevel, type LogRecord, textFact } from '../../dashboard/index.ts';

/** Which log lines a person wants to see. */
export type RecordFilter = {
  /** The first message of a thread, or any message: lines of its traces. */
  readonly message: string | undefined;
  /** Lines of this level and above. */
  readonly level: LogLevel;
  /** Names of events, `*` for any characters: `answer.*`. */
  readonly event: string | undefined;
};

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

/**
 * Returns a function that decides about each line in turn. It remembers the traces of the wanted thread, because only some lines
 * name the thread.
 */
export function createRecordFilter({ message, level, event }: RecordFilter): (record: LogRecord) => boolean {
  const traces = new Set<string>();
  const pattern = event === undefined ? undefined : toPattern(event);
  const least = LEVELS.indexOf(level);
  return (record) => {
    if (message !== undefined) {
      const isNamed = textFact(record, 'root') === message || textFact(record, 'message') === message;
      if (isNamed && record.trace !== undefined) traces.add(record.trace);
      if (!isNamed && !(record.trace !== undefined && traces.has(record.trace))) return false;
    }
    return LEVELS.indexOf(record.level) >= least && (pattern?.test(record.event) ?? true);
  };
}

const toPattern = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll('*', '.*')}$`, 'u');
