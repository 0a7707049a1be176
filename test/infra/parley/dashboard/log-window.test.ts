import { describe, expect, test } from '@jest/globals';
import type { LogPage, LogQuery } from '../../../../infra/parley/operator/cloudwatch-logs.ts';
import {
  createLogWindow,
  FIRST_SEARCH_MS,
  MAX_LINES,
} from '../../../../infra/parley/dashboard/log-window.ts';
import { logRecord, NOON } from '../../dashboard/data/records.ts';

/** Logs with a line at each of these times (ms after noon). */
function fakeLogs(times: readonly number[], isComplete: (query: LogQuery) => boolean = () => true) {
  const queries: LogQuery[] = [];
  const read = async (query: LogQuery): Promise<LogPage> => {
    queries.push(query);
    const records = times
      .filter((at) => NOON + at >= query.fromMs && NOON + at <= query.untilMs)
      .map((at) => logRecord(at, 'answer.ended'));
    return { records, isComplete: isComplete(query) };
  };
  return { read, queries };
}

describe('the log lines of a deployment', () => {
  test('are read back from now in growing parts, each once, and later only what is new', async () => {
    const times = [-6 * FIRST_SEARCH_MS, -3 * FIRST_SEARCH_MS, -FIRST_SEARCH_MS, -1, 50_000];
    const { read, queries } = fakeLogs(times);
    let now = NOON;
    const window = createLogWindow(read, () => now);
    await window.read(() => NOON - 4 * FIRST_SEARCH_MS);
    expect(queries.map(({ fromMs }) => (fromMs - NOON) / FIRST_SEARCH_MS)).toEqual([-1, -2, -4]);
    expect(window.list().map(({ at }) => at - NOON)).toEqual(times.slice(1, 4));
    now += 60_000;
    await window.read(() => NOON - 4 * FIRST_SEARCH_MS);
    expect(window.list().map(({ at }) => at - NOON)).toEqual(times.slice(1));
    expect(queries).toHaveLength(4);
    expect(queries[3]?.fromMs).toBe(NOON - 15_000);
    await window.read(() => NOON - 8 * FIRST_SEARCH_MS);
    expect(window.list()).toHaveLength(5);
    expect(window.isComplete()).toBe(true);
  });

  test('are at most 20,000: the newest, and older ones are not searched', async () => {
    const times = Array.from({ length: MAX_LINES + 5 }, (_, index) => -index);
    const { read, queries } = fakeLogs(times);
    const window = createLogWindow(read, () => NOON);
    await window.read(() => NOON - 10 * FIRST_SEARCH_MS);
    expect(window.list()).toHaveLength(MAX_LINES);
    expect(window.coveredFrom()).toBe(NOON - MAX_LINES + 1);
    expect(window.isComplete()).toBe(false);
    expect(queries).toHaveLength(1);
  });

  test('have no hole: nothing before an incomplete search is read', async () => {
    const { read, queries } = fakeLogs([-1], ({ untilMs }) => untilMs === NOON);
    const window = createLogWindow(read, () => NOON);
    await window.read(() => NOON - 10 * FIRST_SEARCH_MS);
    expect(queries).toHaveLength(2);
    expect(window.isComplete()).toBe(false);
  });
});
