import { styleText } from 'node:util';
import { describeEvent, type LogRecord } from '../../dashboard/index.ts';
import { cleanText } from '../output/table.ts';

const SOURCE_WIDTH = 14;
const EVENT_WIDTH = 24;
const COLORS = { debug: 'gray', info: 'reset', warn: 'yellow', error: 'red' } as const;

/**
 * Formats a record as one line: time (UTC), level, function, event, what it means, facts. Log lines contain names, ids and numbers
 * only: see `shared/runtime/log.ts`.
 */
export function formatRecord(
  record: LogRecord,
  { width, hasColors }: { readonly width: number | undefined; readonly hasColors: boolean },
): string {
  const { at, level, source, event, facts } = record;
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
  const fitted =
    width !== undefined && line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line;
  return hasColors && level !== 'info' ? styleText(COLORS[level], fitted, { validateStream: false }) : fitted;
}
