import type { ToolRow } from './dashboard-data.ts';
import { type LogRecord, numberFact, textFact } from './log-record.ts';
import { calculatePercentiles } from './percentile.ts';

const MAX_ROWS = 50;

/** Counts the calls of tools since `fromMs`, those with the most calls first. */
export function toToolRows(records: readonly LogRecord[], fromMs: number): ToolRow[] {
  const called = records.filter(({ event, at }) => event === 'tool.called' && at >= fromMs);
  const byTool = Map.groupBy(called, (record) =>
    JSON.stringify([textFact(record, 'name') ?? 'unknown', textFact(record, 'tool') ?? 'unknown']),
  );
  return [...byTool.values()]
    .map(toToolRow)
    .toSorted((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1))
    .slice(0, MAX_ROWS);
}

function toToolRow(records: readonly LogRecord[]): ToolRow {
  const [first] = records;
  const count = (outcome: string) =>
    records.filter((record) => textFact(record, 'outcome') === outcome).length;
  const sent = records.filter((record) => textFact(record, 'outcome') !== 'proposed');
  return {
    source: (first && textFact(first, 'name')) ?? 'unknown',
    tool: (first && textFact(first, 'tool')) ?? 'unknown',
    calls: sent.length,
    failed: count('failed'),
    proposed: count('proposed'),
    ms: calculatePercentiles(sent.flatMap((record) => numberFact(record, 'ms') ?? [])),
  };
}
