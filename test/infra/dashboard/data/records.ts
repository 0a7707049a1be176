import type { LogRecord } from '../../../../infra/dashboard/index.ts';

/** 2026-11-23, 12:00 UTC. */
export const NOON = Date.UTC(2026, 10, 23, 12);

/** A log record, `at` ms after noon. */
export function logRecord(
  at: number,
  event: string,
  facts: LogRecord['facts'] = {},
  trace?: string,
): LogRecord {
  return { at: NOON + at, source: 'Worker', level: 'info', event, trace, facts };
}
