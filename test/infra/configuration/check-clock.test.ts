import { expect, test } from '@jest/globals';
import { evaluateClock, sampleClocks, type ClockSample } from '../../../infra/configuration/check-clock.ts';
import type { Probe } from '../../../infra/configuration/probe.ts';

const ORIGIN = 'https://slack.com';
const NONE = { slack: false, discord: false };
const results = (aheadMs: number, signed = NONE) =>
  evaluateClock([{ origin: ORIGIN, aheadMs }], signed).map(({ result }) => result);

test('a clock within 30 s passes, and a worse one warns in either direction', () => {
  expect(results(29_000)).toEqual(['pass']);
  expect(results(-29_000)).toEqual(['pass']);
  expect(results(31_000)).toEqual(['warn']);
  expect(results(-3_600_000)).toEqual(['warn']);
});

test('a clock fails once it makes Parley reject every signed request', () => {
  expect(results(299_000, { slack: true, discord: false })).toEqual(['warn']);
  expect(results(301_000, { slack: true, discord: false })).toEqual(['fail']);
  expect(results(-301_000, { slack: true, discord: false })).toEqual(['fail']);
  expect(results(179_000, { slack: false, discord: true })).toEqual(['warn']);
  expect(results(181_000, { slack: false, discord: true })).toEqual(['fail']);
  expect(results(-61_000, { slack: false, discord: true })).toEqual(['fail']);
});

test('the finding names the difference and the service, and the fix how to set the clock', () => {
  expect(evaluateClock([{ origin: ORIGIN, aheadMs: 400_000 }], { slack: true, discord: true })).toEqual([
    {
      name: 'Clock',
      result: 'fail',
      finding: 'is 400 s ahead of https://slack.com: every request of Slack and Discord is rejected.',
      fix: expect.stringContaining('timedatectl set-ntp true'),
    },
  ]);
});

const respond =
  (date: string | undefined): Probe =>
  async () => ({
    kind: 'answered',
    status: 200,
    headers: new Headers(date === undefined ? {} : { date }),
    json: {},
    html: false,
    receivedAt: Date.parse('2026-11-23T12:01:00.500Z'),
  });

test('the time comes from the header Date of the first response that has one', async () => {
  const samples: ClockSample[] = [];
  await sampleClocks(respond(undefined), samples)('https://a.example/x');
  await sampleClocks(respond('no date'), samples)('https://a.example/x');
  await sampleClocks(async () => ({ kind: 'unreachable', reason: 'gone' }), samples)('https://a.example/x');
  await sampleClocks(respond('Mon, 23 Nov 2026 12:00:00 GMT'), samples)('https://b.example/x');
  expect(samples).toEqual([{ origin: 'https://b.example', aheadMs: 60_000 }]);
  expect(evaluateClock([], NONE)).toEqual([]);
});
