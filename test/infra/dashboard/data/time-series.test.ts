import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { calculatePercentile } from '../../../../infra/dashboard/data/percentile.ts';
import { toTimeSteps, toTimeWindow, toTotals } from '../../../../infra/dashboard/data/time-series.ts';
import { toQueueSteps } from '../../../../infra/dashboard/data/summarize.ts';
import { logRecord, NOON } from './records.ts';

const HOUR_MS = 3_600_000;

describe('a percentile', () => {
  test.each([
    [[], 0.5, undefined],
    [[7], 0.95, 7],
    [[3, 1, 2], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 2],
    [Array.from({ length: 100 }, (_, i) => i + 1), 0.95, 95],
    [[10, 9], 0, 9],
  ])('of %j at %p is %p', (values, share, expected) => {
    expect(calculatePercentile(values, share)).toBe(expected);
  });
});

describe('the time axis', () => {
  test('has at most 60 steps that cover the range and contain now', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60_000, max: 7 * 24 * HOUR_MS }), fc.nat(1e9), (rangeMs, offset) => {
        const now = NOON + offset;
        const { fromMs, stepMs, steps } = toTimeWindow(now, rangeMs);
        expect(steps).toBeLessThanOrEqual(60);
        expect(fromMs).toBeLessThanOrEqual(now - rangeMs + stepMs);
        expect(Math.floor((now - fromMs) / stepMs)).toBe(steps - 1);
      }),
    );
  });

  test('keeps the start of its steps from one refresh to the next', () => {
    const first = toTimeWindow(NOON, HOUR_MS);
    const next = toTimeWindow(NOON + 59_000, HOUR_MS);
    expect(next).toEqual(first);
    expect(toTimeWindow(NOON + 60_000, HOUR_MS).fromMs - first.fromMs).toBe(60_000);
  });
});

describe('steps', () => {
  const window = { fromMs: NOON, stepMs: 1_000, steps: 3 };
  const answers = [
    logRecord(100, 'answer.ended', {
      kind: 'answered',
      FirstWord: 100,
      AnswerTime: 300,
      PromptTokens: 10,
      Dollars: 0.5,
    }),
    logRecord(900, 'answer.ended', {
      kind: 'answered',
      FirstWord: 900,
      AnswerTime: 950,
      CompletionTokens: 4,
    }),
    logRecord(1_000, 'answer.ended', { kind: 'failed', AnswerTime: 50, QueueWait: 7, RequestWait: 2 }),
    // Neither an answer nor a failure: there was no question.
    logRecord(1_200, 'answer.ended', { kind: 'failed', reason: 'greeting', AnswerTime: 1, QueueWait: 1 }),
    logRecord(1_500, 'upstream.limited', { RateLimited: 1 }),
    logRecord(1_600, 'upstream.failed', { FailedRequests: 1 }),
  ];

  test('have the percentiles, counts and sums of their own records', () => {
    const [first, second, third] = toTimeSteps(answers, window);
    expect(first).toMatchObject({
      at: NOON,
      answers: 2,
      failed: 0,
      firstWord: { p50: 100, p95: 900 },
      promptTokens: 10,
      completionTokens: 4,
      dollars: 0.5,
    });
    expect(second).toMatchObject({
      answers: 1,
      failed: 1,
      firstWord: { p50: undefined, p95: undefined },
      queueWait: { p50: 7 },
      requestWait: { p50: 2 },
      limited: 1,
      failedRequests: 1,
    });
    expect(third).toMatchObject({ at: NOON + 2_000, answers: 0, total: { p50: undefined } });
  });

  test('ignore records before and after the window', () => {
    const outside = [logRecord(-1, 'answer.ended'), logRecord(3_000, 'answer.ended')];
    expect(toTimeSteps(outside, window).map((step) => step.answers)).toEqual([0, 0, 0]);
  });

  test('add up to the totals', () => {
    expect(toTotals([logRecord(-1, 'answer.ended'), ...answers], NOON, 2)).toEqual({
      answers: 3,
      failed: 1,
      waiting: 2,
      firstWord: { p50: 100, p95: 900 },
      total: { p50: 300, p95: 950 },
      tokens: 14,
      dollars: 0.5,
    });
  });

  test('of queues show the fullest moment', () => {
    const samples = [
      { at: NOON - 1, waiting: { Tasks: 99 } },
      { at: NOON, waiting: { Tasks: 1, Recordings: 5 } },
      { at: NOON + 900, waiting: { Tasks: 4, Recordings: 0 } },
      { at: NOON + 1_000, waiting: { Tasks: 0 } },
    ];
    expect(toQueueSteps(samples, NOON, 1_000)).toEqual([
      { at: NOON, waiting: { Tasks: 4, Recordings: 5 } },
      { at: NOON + 1_000, waiting: { Tasks: 0 } },
    ]);
  });
});
