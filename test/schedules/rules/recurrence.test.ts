import { describe, expect, test } from '@jest/globals';
import {
  decideRun,
  findNextRun,
  formatTimeOfDay,
  isTimeZone,
  listMissedRuns,
  MAX_LATENESS_MS,
  parseTypedTime,
  type Recurrence,
  toInstant,
  WEEKDAYS,
} from '../../../shared/schedules/rules/index.ts';

const at = (iso: string): number => Date.parse(iso);
const utc = (ms: number): string => new Date(ms).toISOString();
const MONDAY_9 = { weekdays: ['monday'], minuteOfDay: 540, zone: 'Europe/Berlin' } as const;

describe('a moment by the clocks of a zone', () => {
  test.each([
    ['2026-11-21', 540, 'Europe/Berlin', '2026-11-21T08:00:00.000Z'],
    ['2026-07-21', 540, 'Europe/Berlin', '2026-07-21T07:00:00.000Z'],
    // Skipped: from 2:00 to 3:00.
    ['2026-03-29', 150, 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    // Shown twice: the first time is still summer time.
    ['2026-10-25', 150, 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-03-08', 150, 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-11-01', 90, 'America/New_York', '2026-11-01T05:30:00.000Z'],
    // Clocks there change by half an hour.
    ['2026-10-04', 135, 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    ['2026-11-21', 0, 'Asia/Kathmandu', '2026-11-20T18:15:00.000Z'],
    ['2026-11-21', 1439, 'Pacific/Kiritimati', '2026-11-21T09:59:00.000Z'],
    // A day that Samoa skipped.
    ['2011-12-30', 540, 'Pacific/Apia', '2011-12-30T19:00:00.000Z'],
  ])('%s, minute %d in %s', (date, minute, zone, expected) => {
    expect(utc(toInstant(date, minute, zone))).toBe(expected);
  });
});

describe('the next run', () => {
  test('keeps the time of day when clocks change', () => {
    const before = findNextRun(MONDAY_9, at('2026-03-20T12:00:00Z'));
    expect(utc(before)).toBe('2026-03-23T08:00:00.000Z');
    expect(utc(findNextRun(MONDAY_9, before))).toBe('2026-03-30T07:00:00.000Z');
  });

  test('is later than the given moment, also on the same day', () => {
    expect(utc(findNextRun(MONDAY_9, at('2026-11-23T07:59:59Z')))).toBe('2026-11-23T08:00:00.000Z');
    expect(utc(findNextRun(MONDAY_9, at('2026-11-23T08:00:00Z')))).toBe('2026-11-30T08:00:00.000Z');
  });

  test('goes by the weekday of the zone, not of UTC', () => {
    const early = { weekdays: ['monday'], minuteOfDay: 30, zone: 'Pacific/Auckland' } as const;
    expect(utc(findNextRun(early, at('2026-11-21T00:00:00Z')))).toBe('2026-11-22T11:30:00.000Z');
    const late = { weekdays: ['sunday'], minuteOfDay: 23 * 60, zone: 'Pacific/Honolulu' } as const;
    expect(utc(findNextRun(late, at('2026-11-21T00:00:00Z')))).toBe('2026-11-23T09:00:00.000Z');
  });

  test('comes five times a week on weekdays, once each day, through a year of clock changes', () => {
    for (const zone of ['America/New_York', 'Australia/Lord_Howe']) {
      const daily: Recurrence = { weekdays: WEEKDAYS.slice(0, 5), minuteOfDay: 150, zone };
      const days = new Set<string>();
      let run = toInstant('2026-01-01', 0, zone) - 1;
      for (let n = 0; n < 261; n += 1) {
        run = findNextRun(daily, run);
        days.add(new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(run));
      }
      expect(days.size).toBe(261);
      expect([...days].at(-1)).toBe('2026-12-31');
    }
  });

  test('needs a weekday', () => {
    expect(() => findNextRun({ ...MONDAY_9, weekdays: [] }, 0)).toThrow(RangeError);
  });
});

test('missed runs are listed from the first one, and not endlessly', () => {
  const first = at('2026-11-02T08:00:00Z');
  const missed = listMissedRuns(MONDAY_9, first, at('2026-11-17T00:00:00Z'), 10);
  expect(missed.map(utc)).toEqual([
    '2026-11-02T08:00:00.000Z',
    '2026-11-09T08:00:00.000Z',
    '2026-11-16T08:00:00.000Z',
  ]);
  expect(listMissedRuns(MONDAY_9, first, at('2036-11-17T00:00:00Z'), 10)).toHaveLength(10);
});

test('a run is done once, reported when it is too late, and not before its time', () => {
  const dueMs = 1_000_000_000_000;
  const decide = (requestedMs: number, nowMs: number) => decideRun({ requestedMs, dueMs, nowMs });
  expect(decide(dueMs, dueMs)).toBe('run');
  expect(decide(dueMs, dueMs + MAX_LATENESS_MS)).toBe('run');
  expect(decide(dueMs, dueMs + MAX_LATENESS_MS + 1)).toBe('missed');
  expect(decide(dueMs, dueMs - 1)).toBe('stale');
  expect(decide(dueMs - 604_800_000, dueMs)).toBe('stale');
});

test.each([
  ['9', 540],
  ['09:30', 570],
  ['21.05', 1265],
  ['9 am', 540],
  ['12am', 0],
  ['12:15 p.m.', 735],
  ['14h', 840],
  ['7h30', 450],
  ['0', 0],
  ['24', undefined],
  ['9:60', undefined],
  ['13 pm', 780],
  ['0 am', 0],
  ['soon', undefined],
  ['9:3', undefined],
  ['', undefined],
])('the time of day %j', (text, expected) => {
  expect(parseTypedTime(text)).toBe(expected);
});

test('times and zones are recognized', () => {
  expect([0, 570, 1439].map(formatTimeOfDay)).toEqual(['00:00', '09:30', '23:59']);
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
