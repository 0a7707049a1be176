import { describe, expect, test } from '@jest/globals';
import {
  available,
  CHAT_LIMIT,
  type QueueState,
  FAIR_QUEUE,
  NO_SHARE,
  roundMs,
  gcraRule,
  type Share,
  startTagAt,
  turnsOf,
  type Waiter,
} from '../../shared/rate-limits/index.ts';

const NOW = 1_700_000_000_000;
const RULE = gcraRule(CHAT_LIMIT);
const ROUND = roundMs(RULE);
/** The burst is used up, and one request more may be sent after an interval. */
const EMPTY = NOW * 1000 + RULE.toleranceUs + RULE.intervalUs;

let ids = 0;
const waiter = (person: string, more: Partial<Waiter> = {}): Waiter => ({
  id: `i${String((ids += 1)).padStart(4, '0')}`,
  person,
  tag: NOW,
  askedMs: NOW,
  sinceMs: NOW - FAIR_QUEUE.reserveDecayMs,
  weight: 1,
  ...more,
});
const line = (
  waiters: readonly Waiter[],
  shares: Readonly<Record<string, Partial<Share>>> = {},
  tat = EMPTY,
): QueueState => ({
  rule: RULE,
  tat,
  waiters,
  vtime: 0,
  shares: new Map(Object.entries(shares).map(([person, share]) => [person, { ...NO_SHARE, ...share }])),
});
const order = (one: QueueState): string =>
  turnsOf(one, NOW)
    .map(({ waiter: { person } }) => person)
    .join('');
/** Whose they are, whatever their order. */
const sorted = (persons: string): string => persons.split('').toSorted().join('');

describe('who is next', () => {
  test('first one question of each, then the second of each', () => {
    const all = [waiter('a'), waiter('a'), waiter('a'), waiter('b'), waiter('c'), waiter('b')];
    expect(sorted(order(line(all)))).toBe('aaabbc');
    expect(sorted(order(line(all)).slice(0, 3))).toBe('abc');
    expect(sorted(order(line(all)).slice(3, 5))).toBe('ab');
  });

  test('whoever asked of late comes after those who did not, and whoever asked first comes first among them', () => {
    const all = [
      waiter('a', { askedMs: NOW - 9 }),
      waiter('b', { askedMs: NOW - 5 }),
      waiter('c', { askedMs: NOW - 1 }),
    ];
    expect(order(line(all))).toBe('abc');
    expect(order(line(all, { a: { next: NOW + ROUND } }))).toBe('bca');
  });

  test('questions of one moment that came one after the other are of one round', () => {
    // The second question of whoever began a little sooner is no first one.
    const all = [
      waiter('a', { askedMs: NOW - 900 }),
      waiter('b', { tag: NOW + 900 }),
      waiter('a', { askedMs: NOW - 800 }),
    ];
    expect(order(line(all))).toBe('aba');
  });

  test('within a round, whoever has waited longest in all', () => {
    const all = [waiter('a'), waiter('b'), waiter('c')];
    expect(order(line(all, { b: { waitedMs: 5_000 }, c: { waitedMs: 9_000 } }))).toBe('cba');
    // The last of a round is the first of the next one.
    const two = [waiter('a', { askedMs: NOW - 9 }), waiter('b'), waiter('a'), waiter('b')];
    expect(order(line(two))).toBe('abba');
  });

  test('of one moment, whoever joined first, and then by id, the same in every process', () => {
    const joined = [
      waiter('a', { sinceMs: NOW - 1 }),
      waiter('b', { sinceMs: NOW - 3 }),
      waiter('c', { sinceMs: NOW - 2 }),
    ];
    expect(order(line(joined))).toBe('bca');
    const even = [waiter('a', { id: 'i3' }), waiter('b', { id: 'i1' }), waiter('c', { id: 'i2' })];
    for (const all of [even, even.toReversed()]) expect(order(line(all))).toBe('bca');
    // Of the questions of one person as well: which is the first one is told by when they were asked.
    const theirs = [waiter('a', { id: 'a-late', askedMs: NOW + 5 }), waiter('a', { id: 'b-early' })];
    for (const all of [theirs, theirs.toReversed()]) {
      expect(turnsOf(line(all), NOW).map(({ waiter: { id } }) => id)).toEqual(['b-early', 'a-late']);
    }
    const first = [waiter('a', { id: 'x2', sinceMs: NOW - 1 }), waiter('a', { id: 'x1', sinceMs: NOW - 2 })];
    for (const all of [first, first.toReversed()]) {
      expect(turnsOf(line(all), NOW).map(({ waiter: { id } }) => id)).toEqual(['x1', 'x2']);
    }
  });

  test('before all, what goes on with an answer', () => {
    expect(order(line([waiter('a'), waiter('b', { weight: 0, askedMs: NOW + 5 }), waiter('c')]))[0]).toBe(
      'b',
    );
  });

  test('twice the share is two questions a round, half of it is one in two', () => {
    const twice = [1, 2, 3, 4].map(() => waiter('a', { weight: 2 }));
    const once = [1, 2, 3, 4].map(() => waiter('b'));
    const half = [1, 2].map(() => waiter('c', { weight: 0.5 }));
    const first = order(line([...twice, ...once, ...half]));
    expect(sorted(first.slice(0, 4))).toBe('aabc');
    expect(sorted(first.slice(4, 7))).toBe('aab');
  });

  test('whoever comes later joins the round that the line is in, or is two ahead at most', () => {
    const far = line([waiter('a', { tag: NOW + 10 * ROUND })]);
    expect(startTagAt({ ...far, vtime: NOW + 10 * ROUND }, NOW)).toBe(NOW + 8 * ROUND);
    const behind = line([waiter('a', { tag: NOW - 10 * ROUND })]);
    expect(startTagAt(behind, NOW)).toBe(NOW - 10 * ROUND);
    expect(startTagAt(line([]), NOW)).toBe(NOW);
  });
});

describe('when', () => {
  test('one after the other, an interval apart', () => {
    const all = [1, 2, 3, 4].map((n) => waiter(`p${n}`));
    expect(turnsOf(line(all), NOW).map(({ dueMs, ahead }) => [Math.round(dueMs - NOW), ahead])).toEqual([
      [505, 0],
      [1_010, 1],
      [1_515, 2],
      [2_020, 3],
    ]);
  });

  test('when all are asked to wait, as much later', () => {
    const [turn] = turnsOf(line([waiter('a')], {}, EMPTY + 30e6), NOW);
    expect(Math.round((turn?.dueMs ?? 0) - NOW)).toBe(30_505);
  });

  test('at once while there is room: for the first question of anybody, for a second while half of it is there', () => {
    const due = (shares: Parameters<typeof line>[1], room: number): number => {
      const tat = NOW * 1000 + RULE.toleranceUs - (room - 1) * RULE.intervalUs;
      expect(Math.round(available({ rule: RULE, tat }, NOW))).toBe(room);
      const [turn] = turnsOf(line([waiter('a', { sinceMs: NOW })], shares, tat), NOW);
      return Math.max(0, Math.round((turn?.dueMs ?? 0) - NOW));
    };
    const second = { a: { next: NOW + ROUND - 500 } };
    const third = { a: { next: NOW + 2 * ROUND - 500 } };
    expect(due({}, 1)).toBe(0);
    expect(due(second, 20)).toBe(0);
    // What is left to others shrinks while nobody takes it.
    expect(due(second, 8)).toBeGreaterThan(500);
    expect(due(third, 28)).toBeLessThan(150);
    expect(due(third, 14)).toBeGreaterThan(700);
    expect(due(third, 14)).toBeLessThan(FAIR_QUEUE.reserveDecayMs);
    expect(due(third, 1)).toBeLessThanOrEqual(FAIR_QUEUE.reserveDecayMs);
  });
});

test('of two hundred questions of forty people, one of each comes first', () => {
  const all = Array.from({ length: 200 }, (_, n) => waiter(`p${n % 40}`, { askedMs: NOW + n }));
  const turns = turnsOf(line(all), NOW);
  expect(turns).toHaveLength(200);
  expect(new Set(turns.slice(0, 40).map(({ waiter: { person } }) => person)).size).toBe(40);
});
