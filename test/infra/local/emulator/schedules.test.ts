import { describe, expect, jest, test } from '@jest/globals';
import { getNextRun } from '../../../../infra/local/emulator/schedule-times.ts';
import { startSchedules } from '../../../../infra/local/emulator/schedules.ts';

const at = (text: string) => Date.parse(`${text}Z`);

describe('the next run', () => {
  test.each([
    ['rate(1 minute)', '2026-01-01T00:00:30', '2026-01-01T00:01:00'],
    ['rate(5 minutes)', '2026-01-01T00:05:00', '2026-01-01T00:10:00'],
    ['rate(2 hours)', '2026-01-01T01:00:00', '2026-01-01T02:00:00'],
    ['rate(1 day)', '2026-01-01T01:00:00', '2026-01-02T00:00:00'],
  ])('of %s after %s', (expression, after, expected) => {
    expect(getNextRun(expression, at(after), at('2026-01-01T00:00:00'))).toBe(at(expected));
  });
  test.each(['rate(0 minutes)', 'rate(1 week)', 'at(2026-01-01T00:00:00)', 'cron(0 10 * * ? *)'])(
    'of %s is rejected',
    (expression) => {
      expect(() => getNextRun(expression, 0, 0)).toThrow(`schedule ${expression}`);
    },
  );
});

test('a schedule calls its function each time, also during an earlier call, until it is stopped', async () => {
  jest.useFakeTimers();
  const calls: unknown[] = [];
  const schedule = { id: 's', expression: 'rate(1 minute)', functionId: 'Sweeper', input: '{"a":1}' };
  const stop = startSchedules([schedule], (...call) => (calls.push(call), new Promise(() => {})), Date.now);
  await jest.advanceTimersByTimeAsync(59_999);
  expect(calls).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(60_001);
  expect(calls).toEqual([
    ['Sweeper', { a: 1 }],
    ['Sweeper', { a: 1 }],
    ['Sweeper', { a: 1 }],
  ]);
  stop();
  await jest.advanceTimersByTimeAsync(600_000);
  expect(calls).toHaveLength(3);
  jest.useRealTimers();
});

test('a schedule of every minute first runs 15 s after the start, and a slower one after its period', async () => {
  jest.useFakeTimers();
  const calls: string[] = [];
  const schedules = [
    { id: 's', expression: 'rate(1 minute)', functionId: 'Sweeper', input: '{}' },
    { id: 'c', expression: 'rate(5 minutes)', functionId: 'Canary', input: '{}' },
  ];
  const stop = startSchedules(schedules, (id) => (calls.push(id), new Promise(() => {})), Date.now);
  await jest.advanceTimersByTimeAsync(14_999);
  expect(calls).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(calls).toEqual(['Sweeper']);
  await jest.advanceTimersByTimeAsync(44_999);
  expect(calls).toEqual(['Sweeper']);
  stop();
  jest.useRealTimers();
});
