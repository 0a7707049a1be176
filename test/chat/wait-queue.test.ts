import { describe, expect, test } from '@jest/globals';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { formatQueueWait } from '../../shared/chat/display/queue-status.ts';
import { type Locale, LOCALES, type TextMessage, localize } from '../../shared/i18n/index.ts';
import {
  createArrivals,
  runWaitingRequests,
  jain,
  meansOf,
  type Order,
  isTrue,
  promised,
  promises,
  type Question,
  T0,
  type RequestResult,
} from '../limits/waiting-requests.ts';

const textOf = (saying: TextMessage, locale: Locale = 'en'): string => localize(locale, ...saying);
const people = (count: number, more: Partial<Question> = {}): Question[] =>
  Array.from({ length: count }, (_, n) => ({ person: `U${n}`, atMs: 0, ...more }));
const tenOf = (person: string, weight?: number) =>
  Array.from({ length: 10 }, (): Question => ({ person, atMs: 0, weight }));
const last = (results: readonly RequestResult[]): number =>
  Math.max(...results.map(({ sentMs = Infinity }) => sentMs));
/** The wait from which on people must be told, and the time by which. */
const LONG_MS = 4_000;
const TOLD_TIMEOUT_MS = 3_000;

const ORDERS: readonly Order[] = ['in turn', 'all of one', 'by chance'];
const SPREADS = [0, 500, 2_500];

describe.each(ORDERS)('60 questions of 20 people at once, %s', (order) => {
  test.each(SPREADS)('within %i ms: everybody waits equally long, and sees how long', async (spreadMs) => {
    const { results, rejections } = await runWaitingRequests(createArrivals(order, 20, 3, spreadMs));
    expect(results.filter(({ failed }) => failed !== undefined)).toEqual([]);
    expect(rejections).toBe(0);
    expect(jain(meansOf(results))).toBeGreaterThanOrEqual(0.95);
    // 28 start at once, then one every half second; later questions wait longer.
    expect(last(results)).toBeLessThan(60 * 505 - 27 * 505 + spreadMs);
    const long = results.filter(({ sentMs = Infinity }) => sentMs > LONG_MS);
    expect(long.length).toBeGreaterThan(15);
    const promisedWaits = long.map((one) => promised(one));
    expect(promisedWaits.filter((one) => one === undefined || one.atMs > TOLD_TIMEOUT_MS)).toEqual([]);
    // A report before everybody has asked may be wrong; it is corrected.
    const wrong = promisedWaits.filter((one) => one && Math.abs(one.saidMs - one.wasMs) > one.wasMs / 3);
    expect(wrong.length).toBeLessThanOrEqual(spreadMs > 2_000 ? 4 : 0);
    const latest = long.flatMap((one) => promised(one, LONG_MS) ?? []);
    expect(
      latest.filter(({ saidMs, wasMs }) => Math.abs(saidMs - wasMs) > Math.max(wasMs / 3, 1_000)),
    ).toEqual([]);
  });
});

describe('60 people who ask at once', () => {
  test.each([
    ['at once', 0, 0],
    ['within half a second', 500, 0],
    ['within three seconds', 3_000, 0],
    ['after up to 600 ms in the queue', 500, 600],
    ['with a slow table', 500, 0, 400],
  ])(
    '%s: a person who waits more than 4 s sees the correct wait time within 3 s',
    async (_, spreadMs, queuedMs, slowMs = 15) => {
      // Each in a process of its own, as on Lambda.
      const random = createSeededRandom(7);
      const questions = createArrivals('in turn', 60, 1, spreadMs).map((one) => ({
        ...one,
        queuedMs: random() * queuedMs,
      }));
      const { results, rejections } = await runWaitingRequests(questions, { workers: 60, slowMs });
      expect(rejections).toBe(0);
      expect(results.filter(({ sentMs = 0 }) => sentMs > 500).length).toBeGreaterThanOrEqual(
        30 - spreadMs / 505,
      );
      const long = results.filter(({ sentMs = Infinity }) => sentMs > LONG_MS);
      expect(long.length).toBeGreaterThanOrEqual(20 - spreadMs / 505);
      expect(long.filter((one) => (promised(one)?.atMs ?? Infinity) > TOLD_TIMEOUT_MS)).toEqual([]);
      expect(long.flatMap(promises).filter((one) => !isTrue(one))).toEqual([]);
    },
  );

  test('60 people whose questions spent five seconds in the queue see the correct wait time half a second later', async () => {
    const random = createSeededRandom(7);
    const questions = createArrivals('in turn', 60, 1, 300).map((one) => ({
      ...one,
      queuedMs: 5_000 + random() * 300,
    }));
    const { results } = await runWaitingRequests(questions, { workers: 60 });
    const long = results.filter(({ sentMs = Infinity }) => sentMs > 5_000 + LONG_MS);
    expect(long.length).toBeGreaterThan(20);
    expect(long.filter((one) => (promised(one)?.atMs ?? Infinity) > 5_300 + 500)).toEqual([]);
    expect(long.flatMap(promises).filter((one) => !isTrue(one))).toEqual([]);
  });
});

test('a waiting person sees position and wait time every five seconds until the wait ends', async () => {
  const { results } = await runWaitingRequests(people(60));
  const slowest = results.toSorted((a, b) => (b.sentMs ?? 0) - (a.sentMs ?? 0))[0];
  const words = slowest?.notices.map((one) => one.words) ?? [];
  const places = words.flatMap((word) => Number(/place (\d+)/u.exec(word)?.[1] ?? []));
  expect(words[0]).toMatch(/^is waiting in line: place (?:2\d|3\d), about 1\d s$/u);
  // Fewer people are ahead each time, and the last report says that it continues.
  expect(places.length).toBeGreaterThanOrEqual(3);
  expect(places).toEqual(places.toSorted((a, b) => b - a));
  expect(words.at(-1)).toBe('is thinking…');
  // A person without a wait gets no report.
  expect(results.filter(({ sentMs = Infinity }) => sentMs < 100).flatMap(({ notices }) => notices)).toEqual(
    [],
  );
});

test('a person with many requests delays nobody with few requests', async () => {
  const greedy = Array.from({ length: 40 }, () => ({ person: 'greedy', atMs: 0 }));
  const { results } = await runWaitingRequests([
    ...greedy,
    ...people(5, { atMs: 3_000 }),
    ...people(5, { atMs: 9_000 }),
  ]);
  const others = results.filter(({ person }) => person !== 'greedy');
  expect(last(others)).toBeLessThan(3_500);
});

test('a single person with many requests is answered at once, except for a moment', async () => {
  const { results } = await runWaitingRequests(
    Array.from({ length: 10 }, () => ({ person: 'ada', atMs: 0 })),
  );
  expect(last(results)).toBeLessThan(1_000);
  expect(results.flatMap(({ notices }) => notices)).toEqual([]);
});

test('a favoured person waits less in a busy queue', async () => {
  const { results } = await runWaitingRequests([
    ...people(30),
    ...tenOf('ada', 3),
    ...tenOf('bob'),
    ...tenOf('eve', 0.5),
  ]);
  const mean = (who: string) => meansOf(results.filter(({ person }) => person === who))[0] ?? 0;
  expect(mean('ada')).toBeLessThan(mean('bob') * 0.8);
  expect(mean('eve')).toBeGreaterThan(mean('bob') * 1.1);
});

/** A key of another server. Less the guard, a quarter of a request can be sent beyond each one. */
const SMALL_BURST = { perMinute: 225, burst: 5 } as const;

test('with a small burst everybody waits equally long too', async () => {
  const { results, rejections } = await runWaitingRequests(createArrivals('in turn', 20, 3, 500), {
    limit: SMALL_BURST,
  });
  expect(results.filter(({ failed }) => failed !== undefined)).toEqual([]);
  expect(rejections).toBe(0);
  expect(jain(meansOf(results))).toBeGreaterThanOrEqual(0.95);
  expect(last(results)).toBeLessThan(60 * 270 + 2_500);
});

test('with a small burst waiters whose workers died delay the others by half a second each', async () => {
  const doomed = people(6, { diesAfterMs: 1_000 }).map((one, n) => ({ ...one, person: `D${n}`, atMs: 100 }));
  const questions = [...people(20), ...doomed, ...people(20, { atMs: 200 })];
  const { results, rejections } = await runWaitingRequests(questions, { limit: SMALL_BURST });
  const alive = results.filter(({ person }) => !person.startsWith('D'));
  expect(rejections).toBe(0);
  expect(alive.filter(({ failed }) => failed !== undefined)).toEqual([]);
  expect(last(alive)).toBeLessThan(40 * 270 + 6 * 500 + 2_500);
});

test('a waiter whose worker died delays the others by half a second, and is then removed', async () => {
  const doomed = people(6, { diesAfterMs: 1_000 }).map((one, n) => ({ ...one, person: `D${n}`, atMs: 100 }));
  const { results } = await runWaitingRequests([...people(40), ...doomed, ...people(20, { atMs: 200 })]);
  const alive = results.filter(({ person }) => !person.startsWith('D'));
  expect(alive).toHaveLength(60);
  expect(last(alive)).toBeLessThan((60 - 28 + 6 + 1) * 505 + 1_000);
});

test('a waiter sees a retry-after of the upstream, and keeps the position', async () => {
  const { results } = await runWaitingRequests(people(40), {
    meanwhile: async (permits, clock) => {
      await clock.sleep(3_000);
      await permits.report({ key: 'key' }, { status: 429, retryAfterMs: 20_000, sentMs: clock.now });
    },
  });
  const late = results.filter(({ sentMs = 0 }) => sentMs > 4_000);
  expect(late.length).toBeGreaterThan(5);
  expect(Math.min(...late.map(({ sentMs = 0 }) => sentMs))).toBeGreaterThan(23_000);
  // Simultaneous 429s count once, and reported times are corrected within a few seconds.
  for (const one of late) {
    const promise = promised(one, 7_000);
    expect(Math.abs((promise?.saidMs ?? 0) - (promise?.wasMs ?? 0))).toBeLessThan(2_000);
  }
});

test('a wait beyond the deadline returns the question to the queue, and leaves the wait queue', async () => {
  const { results } = await runWaitingRequests(people(200));
  const failed = results.filter((one) => one.failed !== undefined);
  expect(new Set(failed.map((one) => one.failed))).toEqual(new Set(['RateLimitExceededError']));
  expect(results.length - failed.length).toBeGreaterThanOrEqual(28 + 115);
});

test('a long wait is shown as a time in the time zone of the workspace, in every language', () => {
  const saying = formatQueueWait(3_900_000, { now: T0, zone: 'Europe/Berlin' });
  const clockFormat = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
  });
  for (const locale of LOCALES) {
    expect(textOf(saying, locale)).toContain(`${clockFormat.format(T0 + 3_900_000)} (Europe/Berlin)`);
  }
});
