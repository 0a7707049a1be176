import { expect, test } from '@jest/globals';
import { appendInterval } from '../../../../shared/platforms/slack/answer/reply.ts';

/** The requests after the first one of an answer of `ms`. */
function requestsIn(ms: number, open: number): number {
  let at = 0;
  for (let sent = 1; ; sent += 1) {
    at += appendInterval({ sent, open, perMinute: 100 });
    if (at >= ms) return sent - 1;
  }
}

test('intervals of a single answer grow after a short second one', () => {
  expect([1, 2, 3, 10, 11, 51].map((sent) => appendInterval({ sent, open: 1, perMinute: 100 }))).toEqual([
    400, 1_700, 1_600, 1_600, 1_660, 2_200,
  ]);
  expect(requestsIn(2_000, 1)).toBeLessThanOrEqual(2);
  expect(requestsIn(20_000, 1)).toBeLessThanOrEqual(12);
  expect(requestsIn(200_000, 1)).toBeLessThanOrEqual(96);
});

test('all open answers together stay within the rate limit of the workspace', () => {
  for (const open of [1, 2, 5, 20, 200]) {
    const perMinute = (60_000 / appendInterval({ sent: 50, open, perMinute: 100 })) * open;
    expect(perMinute).toBeLessThanOrEqual(100);
  }
});

test('the rate limit of the workspace does not delay a single answer', () => {
  expect(appendInterval({ sent: 1, open: 1, perMinute: 1 })).toBe(400);
  expect(appendInterval({ sent: 1, open: 2, perMinute: 1 })).toBe(150_000);
});
