import { describe, expect, test } from '@jest/globals';
import {
  countAvailableRequests,
  CHAT_LIMIT,
  type QueueState,
  FAIR_QUEUE,
  NO_SHARE,
  roundMs,
  createGcraRule,
  type PersonShare,
  getStartTag,
  computeTurns,
  type Waiter,
} from '../../shared/rate-limits/index.ts';

const NOW = 1_700_000_000_000;
const RULE = createGcraRule(CHAT_LIMIT);
const ROUND = roundMs(RULE);
/** The burst is used up; the next request can be sent after an interval. */
const EMPTY = NOW * 1000 + RULE.toleranceUs + RULE.intervalUs;

let ids = 0;
const waiter = (person: string, more: Partial<Waiter> = {}): Waiter => ({
  id: `i${String((ids += 1)).padStart(4, '0')}`,
  person,
  tag: NOW,
  requestedAtMs: NOW,
  sinceMs: NOW - FAIR_QUEUE.reserveDecayMs,
  weight: 1,
  ...more,
});
const queue = (
  waiters: readonly Waiter[],
  shares: Readonly<Record<string, Partial<PersonShare>>> = {},
  tat = EMPTY,
): QueueState => ({
  rule: RULE,
  tat,
  waiters,
  vtime: 0,
  shares: new Map(Object.entries(shares).map(([person, share]) => [person, { ...NO_SHARE, ...share }])),
});
const order = (one: QueueState): string =>
  computeTurns(one, NOW)
    .map(({ waiter: { person } }) => person)
    .join('');
/** The persons in alphabetical order. */
const sorted = (persons: string): string => persons.split('').toSorted().join('');

describe('the order of the queue', () => {
  test('serves one question of each person first, then the second of each', () => {
    const all = [waiter('a'), waiter('a'), waiter('a'), waiter('b'), waiter('c'), waiter('b')];
    expect(sorted(order(queue(all)))).toBe('aaabbc');
    expect(sorted(order(queue(all)).slice(0, 3))).toBe('abc');
    expect(sorted(order(queue(all)).slice(3, 5))).toBe('ab');
  });

  test('puts people who asked recently after the others, ordered by when they asked', () => {
    const all = [
      waiter('a', { requestedAtMs: NOW - 9 }),
      waiter('b', { requestedAtMs: NOW - 5 }),
      waiter('c', { requestedAtMs: NOW - 1 }),
    ];
    expect(order(queue(all))).toBe('abc');
    expect(order(queue(all, { a: { next: NOW + ROUND } }))).toBe('bca');
  });

  test('has rounds as long as 24 requests at the limit of the key take', () => {
    expect(ROUND).toBe((24 * RULE.intervalUs) / 1_000);
  });

  test('puts questions that were asked almost at the same time into one round', () => {
    // The second question of the person who asked a little earlier does not count as a first one.
    const all = [
      waiter('a', { requestedAtMs: NOW - 900 }),
      waiter('b', { tag: NOW + 900 }),
      waiter('a', { requestedAtMs: NOW - 800 }),
    ];
    expect(order(queue(all))).toBe('aba');
  });

  test('prefers within a round the person who has waited longest in total', () => {
    const all = [waiter('a'), waiter('b'), waiter('c')];
    expect(order(queue(all, { b: { waitedMs: 5_000 }, c: { waitedMs: 9_000 } }))).toBe('cba');
    // The last of a round is the first of the next one.
    const two = [waiter('a', { requestedAtMs: NOW - 9 }), waiter('b'), waiter('a'), waiter('b')];
    expect(order(queue(two))).toBe('abba');
  });

  test('breaks ties by join time, then by id, the same in every process', () => {
    const joined = [
      waiter('a', { sinceMs: NOW - 1 }),
      waiter('b', { sinceMs: NOW - 3 }),
      waiter('c', { sinceMs: NOW - 2 }),
    ];
    expect(order(queue(joined))).toBe('bca');
    const even = [waiter('a', { id: 'i3' }), waiter('b', { id: 'i1' }), waiter('c', { id: 'i2' })];
    for (const all of [even, even.toReversed()]) expect(order(queue(all))).toBe('bca');
    // This also holds for the questions of one person: the time of asking decides which is the first.
    const theirs = [waiter('a', { id: 'a-late', requestedAtMs: NOW + 5 }), waiter('a', { id: 'b-early' })];
    for (const all of [theirs, theirs.toReversed()]) {
      expect(computeTurns(queue(all), NOW).map(({ waiter: { id } }) => id)).toEqual(['b-early', 'a-late']);
    }
    const first = [waiter('a', { id: 'x2', sinceMs: NOW - 1 }), waiter('a', { id: 'x1', sinceMs: NOW - 2 })];
    for (const all of [first, first.toReversed()]) {
      expect(computeTurns(queue(all), NOW).map(({ waiter: { id } }) => id)).toEqual(['x1', 'x2']);
    }
  });

  test('puts a request that continues an answer before all others', () => {
    expect(
      order(queue([waiter('a'), waiter('b', { weight: 0, requestedAtMs: NOW + 5 }), waiter('c')]))[0],
    ).toBe('b');
  });

  test('gives a person with weight 2 two questions per round, and one with weight 0.5 one in two rounds', () => {
    const twice = [1, 2, 3, 4].map(() => waiter('a', { weight: 2 }));
    const once = [1, 2, 3, 4].map(() => waiter('b'));
    const half = [1, 2].map(() => waiter('c', { weight: 0.5 }));
    const first = order(queue([...twice, ...once, ...half]));
    expect(sorted(first.slice(0, 4))).toBe('aabc');
    expect(sorted(first.slice(4, 7))).toBe('aab');
  });

  test('lets a later person join the current round, or at most two rounds ahead', () => {
    const far = queue([waiter('a', { tag: NOW + 10 * ROUND })]);
    expect(getStartTag({ ...far, vtime: NOW + 10 * ROUND }, NOW)).toBe(NOW + 8 * ROUND);
    const behind = queue([waiter('a', { tag: NOW - 10 * ROUND })]);
    expect(getStartTag(behind, NOW)).toBe(NOW - 10 * ROUND);
    expect(getStartTag(queue([]), NOW)).toBe(NOW);
  });
});

describe('the time of a turn', () => {
  test('is one interval after the previous turn', () => {
    const all = [1, 2, 3, 4].map((n) => waiter(`p${n}`));
    expect(computeTurns(queue(all), NOW).map(({ dueMs, ahead }) => [Math.round(dueMs - NOW), ahead])).toEqual(
      [
        [505, 0],
        [1_010, 1],
        [1_515, 2],
        [2_020, 3],
      ],
    );
  });

  test('is delayed when the bucket is paused', () => {
    const [turn] = computeTurns(queue([waiter('a')], {}, EMPTY + 30e6), NOW);
    expect(Math.round((turn?.dueMs ?? 0) - NOW)).toBe(30_505);
  });

  test("is now for a person's first question while the burst lasts, and for a second one while half of it remains", () => {
    const due = (shares: Parameters<typeof queue>[1], room: number): number => {
      const tat = NOW * 1000 + RULE.toleranceUs - (room - 1) * RULE.intervalUs;
      expect(Math.round(countAvailableRequests({ rule: RULE, tat }, NOW))).toBe(room);
      const [turn] = computeTurns(queue([waiter('a', { sinceMs: NOW })], shares, tat), NOW);
      return Math.max(0, Math.round((turn?.dueMs ?? 0) - NOW));
    };
    const second = { a: { next: NOW + ROUND - 500 } };
    const third = { a: { next: NOW + 2 * ROUND - 500 } };
    expect(due({}, 1)).toBe(0);
    expect(due(second, 20)).toBe(0);
    // The reserve for others decays while nobody uses it.
    expect(due(second, 8)).toBeGreaterThan(500);
    expect(due(third, 28)).toBeLessThan(150);
    expect(due(third, 14)).toBeGreaterThan(700);
    expect(due(third, 14)).toBeLessThan(FAIR_QUEUE.reserveDecayMs);
    expect(due(third, 1)).toBeLessThanOrEqual(FAIR_QUEUE.reserveDecayMs);
  });
});

test('of two hundred questions of forty people, one of each is served first', () => {
  const all = Array.from({ length: 200 }, (_, n) => waiter(`p${n % 40}`, { requestedAtMs: NOW + n }));
  const turns = computeTurns(queue(all), NOW);
  expect(turns).toHaveLength(200);
  expect(new Set(turns.slice(0, 40).map(({ waiter: { person } }) => person)).size).toBe(40);
});
