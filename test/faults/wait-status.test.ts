import { expect, test } from '@jest/globals';
import type { RateLimit } from '../../shared/rate-limits/index.ts';
import { startWithUsers } from '../journeys/simultaneous-questions.ts';
import type { Identity } from '../simulators/slack/identity.ts';
import { findViolations } from './find-violations.ts';
import type { ScenarioResult, WaitNotice } from './options.ts';
import { runScenario, T0 } from './scenario.ts';

const PEOPLE = 200;
const { users } = startWithUsers(PEOPLE);
const WORDS = { users, refusedApis: { 'agents.sessions': 'feature_disabled' } } as const;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** People who wait longer than this are told so. */
const TOLD_FROM_MS = 8_000;
/** Simultaneous askers are told within this time, though two workers have capacity for 40. */
const TOLD_TIMEOUT_MS = 4_000;

/** Each in a thread of its own, at the same time: more than all workers can hold. */
const QUESTIONS = users
  .slice(-PEOPLE)
  .map(({ id }, thread) => ({ text: `${thread}?`, afterMs: 0, thread, person: id }));

const ask = (limit: RateLimit, identity: Partial<Identity> = WORDS): Promise<ScenarioResult> =>
  runScenario({ questions: QUESTIONS, limit, identity, plan: () => undefined });

/** Each question: its duration (ms), and the reports of its wait, with times from the question on. */
const waitsOf = ({ questionIds, endedAt, notices }: ScenarioResult) =>
  questionIds.map((ts, nth) => {
    const requestedAtMs = 1_000 * Number(ts);
    const words = notices.filter(({ to }) => to === ts || to === QUESTIONS[nth]?.person);
    return {
      tookMs: (endedAt.get(ts) ?? Infinity) - requestedAtMs,
      notices: words.map((one) => ({ ...one, atMs: one.atMs - requestedAtMs })),
    };
  });

/**
 * Whether a reported wait time is correct, within a third of the rest or two seconds. A time of day has whole
 * minutes.
 */
function isTrue({ words, atMs }: WaitNotice, tookMs: number): boolean {
  const [, seconds, hour, minute] = /about (\d+) s|(\d\d):(\d\d) UTC/u.exec(words) ?? [];
  const leftMs = tookMs - atMs;
  if (seconds !== undefined) return Math.abs(1_000 * Number(seconds) - leftMs) <= Math.max(leftMs / 3, 2_000);
  const saidMs = (60 * Number(hour) + Number(minute)) * MINUTE - ((T0 + atMs) % DAY);
  return Math.abs(saidMs - leftMs) <= leftMs / 3 + MINUTE;
}

test.each([
  ['120 a minute', { perMinute: 120, burst: 30 }],
  ['30 a minute', { perMinute: 30, burst: 10 }],
  ['12 a minute', { perMinute: 12, burst: 4 }],
])(
  '200 people who ask at once, at %s, are answered once each, and waiting people see position and time within seconds',
  async (_, limit) => {
    const end = await ask(limit);
    expect(findViolations(end)).toEqual([]);
    const waits = waitsOf(end);
    const long = waits.filter(({ tookMs }) => tookMs > TOLD_FROM_MS);
    expect(long.length).toBeGreaterThan(PEOPLE / 2);
    const first = long.map(({ notices }) => notices[0]);
    expect(first.filter((one) => (one?.atMs ?? Infinity) > TOLD_TIMEOUT_MS)).toEqual([]);
    expect(first.filter((one) => !one?.words.includes('place '))).toEqual([]);
    expect(long.flatMap(({ tookMs, notices }) => notices.filter((one) => !isTrue(one, tookMs)))).toEqual([]);
    // The last is answered when the limit allows it: no permit is lost.
    const leastMs = ((PEOPLE - limit.burst) * MINUTE) / limit.perMinute;
    expect(Math.max(...waits.map(({ tookMs }) => tookMs))).toBeLessThan(leastMs * 1.05 + 5_000);
    // Hardly any of the wait is spent in a worker.
    const waitedMs = waits.reduce((total, { tookMs }) => total + tookMs, 0);
    expect(end.heldMs).toBeLessThan(waitedMs / 20);
  },
);

test('with Slack sessions, a waiting person gets one ephemeral message, however often the question returns to the queue', async () => {
  const end = await ask({ perMinute: 120, burst: 30 }, { users });
  expect(findViolations(end)).toEqual([]);
  const long = waitsOf(end).filter(({ tookMs }) => tookMs > TOLD_FROM_MS);
  expect(long.length).toBeGreaterThan(PEOPLE / 2);
  expect(long.filter(({ notices }) => notices.length !== 1)).toEqual([]);
});
