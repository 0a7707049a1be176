import { type LogLevel, type LogRecord, textFact } from '../../dashboard/index.ts';
import type { LogQuery } from '../operator/cloudwatch-logs.ts';

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

/** Lines that Lambda writes about a function, and the events that they are read as (`parseLogLine`). */
const LAMBDA_LINES = [
  ['level', 'ERROR'],
  ['level', 'FATAL'],
  // Not every report: there is one for each invocation.
  ['record.status', 'timeout'],
  ['record.status', 'error'],
  ['record.status', 'failure'],
] as const;
const LAMBDA_EVENTS = ['function.crashed', 'function.failed'];

/**
 * Returns which lines a search has to read for this filter: those that it passes, and others. Undefined for every line, as for a thread, whose traces
 * other lines name.
 */
export function toQuery({ message, level, event }: RecordFilter): LogQuery['anyOf'] {
  if (message !== undefined) return undefined;
  if (event === undefined) return level === 'warn' || level === 'error' ? toLevelQuery(level) : undefined;
  const value = toSearchValue(event);
  if (value === undefined) return undefined;
  const isOfLambda = LAMBDA_EVENTS.some((one) => toPattern(event).test(one));
  return [['event', value], ...(isOfLambda ? LAMBDA_LINES : [])];
}

/** Functions write levels in small letters. */
const toLevelQuery = (least: LogLevel): LogQuery['anyOf'] => [
  ...LEVELS.slice(LEVELS.indexOf(least)).map((level) => ['level', level] as const),
  ...LAMBDA_LINES,
];

/** A search takes a `*` at the start or end only: of other patterns, what stands before or behind the asterisks. Undefined if that is nothing. */
function toSearchValue(event: string): string | undefined {
  const [start = '', ...others] = event.split('*');
  const end = others.at(-1);
  if (end === undefined) return event;
  if (start !== '') return `${start}*`;
  return end === '' ? undefined : `*${end}`;
}

const toPattern = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll('*', '.*')}$`, 'u');
