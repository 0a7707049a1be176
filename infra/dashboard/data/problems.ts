import { isFailureEvent } from '../../../shared/runtime/index.ts';
import type { ErrorRow } from './dashboard-data.ts';
import { type LogRecord, textFact } from './log-record.ts';

/** Lines with metrics have the level `info`. */
const LIMITED = /\.limited$/u;
/** Facts that say why, in the order in which people read them. */
const REASON_FACTS = ['reason', 'error', 'status', 'code', 'param', 'family', 'keyName', 'Source'] as const;
const MAX_ROWS = 50;

/** Whether an operator may have to look at it. */
export const isProblem = ({ event, level }: Pick<LogRecord, 'event' | 'level'>): boolean =>
  level === 'warn' || level === 'error' || isFailureEvent(event) || LIMITED.test(event);

/** Returns what a record says about its reason, such as `reason server, status 503`. */
function formatReason(record: Pick<LogRecord, 'facts'>): string {
  return REASON_FACTS.flatMap((name) => {
    const value = textFact(record, name);
    return value === undefined ? [] : [`${name === 'Source' ? 'from' : name} ${value}`];
  }).join(', ');
}

/** Counts equal problems since `fromMs`. The latest come first. */
export function toErrorRows(records: readonly LogRecord[], fromMs: number): ErrorRow[] {
  const rows = new Map<string, ErrorRow>();
  for (const record of records) {
    if (record.at < fromMs || !isProblem(record)) continue;
    const { event, source, level, trace, at } = record;
    const message = formatReason(record);
    const key = `${source} ${event} ${message}`;
    const known = rows.get(key);
    const isLatest = at >= (known?.lastAt ?? -Infinity);
    rows.set(key, {
      event,
      source,
      level,
      message,
      count: (known?.count ?? 0) + 1,
      lastAt: isLatest ? at : (known?.lastAt ?? at),
      trace: isLatest ? trace : known?.trace,
    });
  }
  return [...rows.values()].toSorted((a, b) => b.lastAt - a.lastAt).slice(0, MAX_ROWS);
}
