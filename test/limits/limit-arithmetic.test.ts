import { describe, expect, test } from '@jest/globals';
import { getHeaderAdjustment } from '../../shared/rate-limits/sync-with-headers.ts';
import { openBreaker } from '../../shared/rate-limits/breaker.ts';
import {
  getLearnedLimit,
  ENDPOINT_LIMITS,
  reduceLimit,
  getLearnedShare,
} from '../../shared/rate-limits/endpoint-limits.ts';
import { createGcraRule } from '../../shared/rate-limits/gcra.ts';
import { PRIORITY_CLASSES } from '../../shared/rate-limits/priority-classes.ts';
import {
  listExpiredEntries,
  getMsUntilFree,
  createWindowEntry,
  WINDOW_GUARD_MS,
} from '../../shared/rate-limits/rolling-window.ts';

describe('a rolling window', () => {
  const window = { requests: 2, windowMs: 60_000 };
  const log = [createWindowEntry(1_000, 7), createWindowEntry(2_000, 8)];
  const free = 1_000 + 60_000 + WINDOW_GUARD_MS;

  test('frees a permit when its period and the guard time have passed, and not a millisecond before', () => {
    expect(listExpiredEntries(log, window, free - 1)).toEqual([]);
    expect(listExpiredEntries(log, window, free)).toEqual([log[0]]);
  });

  test('returns the wait for the next permit', () => {
    expect(getMsUntilFree(log, window, 1_000)).toBe(60_000 + WINDOW_GUARD_MS);
    expect(getMsUntilFree(log, window, free + 5)).toBe(1);
  });
});

describe('the limits of a key', () => {
  test('are those of the headers, or defaults without them', () => {
    expect(ENDPOINT_LIMITS).toEqual({
      chat: { perMinute: 120, burst: 30 },
      models: { perMinute: 300, burst: 300 },
      speech: { perMinute: 60, burst: 10 },
      video: { perMinute: 10, burst: 5 },
    });
  });

  test('are lowered by 429s to at least a twentieth, and one request may always be sent', () => {
    let learned = reduceLimit(undefined, 0);
    expect(learned.share).toBeCloseTo(0.7);
    for (let n = 0; n < 50; n += 1) learned = reduceLimit(learned, 0);
    expect(getLearnedLimit(ENDPOINT_LIMITS.video, learned, 0)).toEqual({ perMinute: 0.5, burst: 1 });
    expect(getLearnedShare(learned, 3_600_000)).toBeCloseTo(0.055);
    expect(getLearnedShare(learned, 1_000 * 3_600_000)).toBe(1);
  });
});

describe('a model at capacity', () => {
  test('gets no request for a time that doubles, up to two seconds', () => {
    let breaker = { fails: 0, untilMs: 0 };
    const waits: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      breaker = openBreaker(breaker, 0, 0, 0);
      waits.push(breaker.untilMs);
    }
    expect(waits).toEqual([500, 1_000, 1_000, 1_000]);
    expect(openBreaker({ fails: 0, untilMs: 0 }, 0, 0, 1 - 1e-9).untilMs).toBe(1_000);
  });

  test('gets no request for its retry time, if that is longer, at most for an hour', () => {
    expect(openBreaker({ fails: 0, untilMs: 0 }, 5, 9_000, 0).untilMs).toBe(9_005);
    expect(openBreaker({ fails: 0, untilMs: 0 }, 5, 86_400_000, 0).untilMs).toBe(3_600_005);
  });
});

describe('a key with other users', () => {
  const limit = ENDPOINT_LIMITS.chat;
  const rule = createGcraRule(limit);
  const of = (shared: boolean, remaining: number): number =>
    getHeaderAdjustment({ rule, limit, sentUs: 1e9, tat: 1e9 + 20 * rule.intervalUs, shared }, remaining) /
    rule.intervalUs;

  test('has a margin of four requests, so that both do not meet at the limit', () => {
    expect(of(true, 0) - of(false, 0)).toBeCloseTo(4, 5);
  });

  test('counts as exclusive while the counts agree', () => {
    expect(of(false, 30)).toBe(0);
  });

  // `left` requests of the burst are free by the own count; the response said `reported`.
  const missingOf = (
    guarded: boolean,
    { left, reported, shared }: { left: number; reported: number; shared: boolean },
  ) => {
    const used = guarded ? rule : { ...rule, toleranceUs: (limit.burst - 1) * rule.intervalUs };
    const tat = 1e9 + used.toleranceUs + (1 - left) * used.intervalUs;
    return getHeaderAdjustment({ rule: used, limit, sentUs: 1e9, tat, shared }, reported) / used.intervalUs;
  };

  test('is detected when more than one and a half requests are missing, as one may be in flight; then by one', () => {
    const capacity = limit.burst - 1 - rule.toleranceUs / rule.intervalUs;
    expect(capacity).toBe(2);
    expect(missingOf(true, { left: 10, reported: 10 + capacity - 1.4, shared: false })).toBe(0);
    expect(missingOf(true, { left: 10, reported: 10 + capacity - 1.6, shared: false })).toBeCloseTo(1.6, 4);
    expect(missingOf(true, { left: 10, reported: 14 + capacity - 0.9, shared: true })).toBe(0);
    expect(missingOf(true, { left: 10, reported: 14 + capacity - 1.1, shared: true })).toBeCloseTo(1.1, 4);
    // Without withheld requests the own count is exact, and half a request is enough evidence.
    expect(missingOf(false, { left: 10, reported: 9.6, shared: false })).toBe(0);
    expect(missingOf(false, { left: 10, reported: 9.4, shared: false })).toBeCloseTo(0.6, 4);
  });

  test('is not detected by queued requests, nor by a bucket that has long been full', () => {
    const none = { reported: 0, shared: true };
    expect(missingOf(true, { ...none, left: -7 })).toBeCloseTo(missingOf(true, { ...none, left: 0 }), 5);
    expect(missingOf(true, { left: 900, reported: limit.burst - 1, shared: false })).toBe(0);
    expect(missingOf(true, { left: 900, reported: 0, shared: false })).toBeCloseTo(limit.burst - 1, 4);
  });
});

test('people may use the whole burst and queue; transcripts leave six requests to them and queue, background work leaves twelve and does not', () => {
  expect(PRIORITY_CLASSES).toEqual({
    person: { headroom: 0, mayQueue: true },
    transcript: { headroom: 6, mayQueue: true },
    background: { headroom: 12, mayQueue: false },
  });
});
