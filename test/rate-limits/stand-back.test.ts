import { expect, test } from '@jest/globals';
import { getStandBackMs } from '../../shared/rate-limits/index.ts';

const FIRST = { delivery: { isRedelivery: false }, permitRequest: { priority: 'person' } } as const;
const AGAIN = { ...FIRST, delivery: { isRedelivery: true } };

test.each([
  ['no 429', [], AGAIN, 0],
  ['the first 429 in the first delivery', [20_000], FIRST, 0],
  ['the second one', [0, 0], FIRST, 30_000],
  ['one in a later delivery', [0], AGAIN, 30_000],
  ['a short one', [2_000, 2_000], FIRST, 6_000],
  ['a long one', [0, 20_000], FIRST, 60_000],
  [
    'one during an answer',
    [0, 0],
    { ...AGAIN, permitRequest: { priority: 'person', isContinuation: true } },
    0,
  ],
  ['one of a recording', [0, 0], { ...AGAIN, permitRequest: { priority: 'transcript' } }, 0],
] as const)('after %s, a request stands back by the wait that the last one asked for', (_, waits, of, ms) => {
  expect(getStandBackMs(waits, of)).toBe(ms);
});
