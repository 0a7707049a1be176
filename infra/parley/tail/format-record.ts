import { styleText } from 'node:util';
import { describeEvent, type LogRecord } from '../../dashboard/index.ts';
import { cleanText } from '../output/table.ts';

const SOURCE_WIDTH = 14;
const EVENT_WIDTH = 24;
/** Of what comes before the trace in a narrow terminal. */
const MIN_WIDTH = 40;
const COLORS = { debug: 'gray', info: 'reset', warn: 'yellow', error: 'red' } as const;

/**
 * Formats a record as one line: time (UTC), level, function, event, what it means, facts; a problem also with its trace, which is never cut, because `parley trace`
 * takes it. Log lines contain names, ids and numbers only: see `shared/runtime/log.ts`.
 */
export function formatRecord(
  record: LogRecord,
  { width, hasColors }: { readonly width: number | undefined; readonly hasColors: boolean },
): string {
  const { at, level, source, event, facts, trace } = record;
  const meaning = describeEvent(record);
  const details = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  const line = cleanText(
    [
      new Date(at).toISOString().slice(11, 23),
      level.padEnd(5),
      source.padEnd(SOURCE_WIDTH),
      event.padEnd(EVENT_WIDTH),
      ...(meaning === event ? [] : [`${meaning}.`]),
      ...details,
    ].join(' '),
  ).trimEnd();
  const isProblem = level === 'warn' || level === 'error';
  const end = isProblem && trace !== undefined ? ` trace=${cleanText(trace)}` : '';
  const room = width === undefined ? line.length : Math.max(MIN_WIDTH, width - end.length);
  const fitted = `${line.length > room ? `${line.slice(0, room - 1)}…` : line}${end}`;
  return hasColors && level !== 'info' ? styleText(COLORS[level], fitted, { validateStream: false }) : fitted;
}
