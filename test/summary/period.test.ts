import { expect, test } from '@jest/globals';
import { getPeriodStart } from '../../shared/summary/index.ts';

const start = (period: Parameters<typeof getPeriodStart>[0], now: string, zone: string): string =>
  new Date(getPeriodStart(period, Date.parse(now), zone)).toISOString();

test.each([
  ['UTC', '2026-11-21T13:00:00Z', '2026-11-20T00:00:00.000Z'],
  // For them it is the 22nd already.
  ['Asia/Tokyo', '2026-11-21T20:00:00Z', '2026-11-20T15:00:00.000Z'],
  // For them it is the 20th still.
  ['America/Los_Angeles', '2026-11-21T05:00:00Z', '2026-11-19T08:00:00.000Z'],
  // The clocks were put forward on the 29th, and back on the 25th.
  ['Europe/Berlin', '2026-03-30T10:00:00Z', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T10:00:00Z', '2026-03-27T23:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26T10:00:00Z', '2026-10-24T22:00:00.000Z'],
  // A zone in which midnight was left out that day.
  ['America/Santiago', '2026-09-07T12:00:00Z', '2026-09-06T04:00:00.000Z'],
])('since yesterday is from midnight on in the zone of who asks: %s', (zone, now, expected) => {
  expect(start('yesterday', now, zone)).toBe(expected);
});

test('a week is 7 times 24 hours, and own messages are searched for 14 days', () => {
  expect(start('week', '2026-11-21T13:00:00Z', 'Asia/Tokyo')).toBe('2026-11-14T13:00:00.000Z');
  expect(start('last-message', '2026-11-21T13:00:00Z', 'UTC')).toBe('2026-11-07T13:00:00.000Z');
});
