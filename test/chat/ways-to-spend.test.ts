import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHolder } from '../../shared/chat/model/wait-for-permit.ts';
import { workspaceId } from '../../shared/domain/index.ts';
import type { RequestPermits } from '../../shared/ports/index.ts';
import { ENDPOINT_LIMITS } from '../../shared/rate-limits/endpoint-limits.ts';
import { KeyRateLimiter, type PermitRequest, TokenBuckets } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';
import { TestTime } from '../upstream/time.ts';
import { CASES, GREEDY, type Permits } from './greedy-person.ts';

// One greedy person uses every row of the table in docs/limits.md: the maximum of each row, while others are served.

/** The rows of the table: the name, and the maximum number of requests. */
const rows = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8')
  .split('## Every way to spend')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Way|-)/u.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', maxRequests = '']) => [name, Number(maxRequests)] as const);

test('every row of the table is tested here, and nothing else', () => {
  expect(rows?.map(([name]) => name)).toEqual(Object.keys(CASES));
});

/** What a person waits for has the first priority. These rows have another one. */
const OTHER_PRIORITIES: Readonly<Record<string, readonly string[]>> = {
  'Suggested questions': ['background'],
  'Summary of a recording': ['transcript'],
  'Transcript of a recording': ['transcript'],
  // The transcript comes first.
  'Translation of a recording, spoken': ['person', 'transcript'],
};
describe('the maximum for one greedy person of', () => {
  test.each(rows ?? [])('%s: %i requests, each queued under their name', async (name, limit) => {
    const permitRequests: PermitRequest[] = [];
    let permits = 0;
    const note = <R extends Omit<PermitRequest, 'maxWaitMs'>>(request: R): R => {
      permitRequests.push({ maxWaitMs: 0, ...request });
      permits += 1;
      return request;
    };
    const noted: RequestPermits = {
      ...UNLIMITED_PERMITS,
      take: (ask) => UNLIMITED_PERMITS.take(note(ask)),
      takeFree: (ask) => UNLIMITED_PERMITS.takeFree(note(ask)),
      release: async () => void (permits -= 1),
    };
    const spent = await CASES[name]?.({ chat: noted, speech: noted, video: noted });
    expect(spent?.requests).toBe(limit);
    // No request is sent without a permit of its own.
    expect(permits).toBe(spent?.permitted);
    expect(permitRequests.filter(({ person }) => !person?.endsWith(`#U#${GREEDY}`))).toEqual([]);
    const priorities = permitRequests.length > 0 ? (OTHER_PRIORITIES[name] ?? ['person']) : [];
    expect([...new Set(permitRequests.map(({ priority }) => priority))].toSorted()).toEqual(priorities);
  });
});

/** The time from which the others ask: the burst of the key is used up. */
const LATER_MS = 20_000;
const HOME = { platform: 'slack', workspace: workspaceId('T1') } as const;
/** When a person got a permit (ms). */
type Granted = { readonly person: string; readonly atMs: number };
type Family = keyof Permits;
const FAMILIES = ['chat', 'speech', 'video'] as const satisfies readonly Family[];
/** The longest wait of the others: each asks once, faster than the limit of the key permits. */
const SERVED_MS = { chat: 6_000, speech: 3_000, video: 20_000 } as const satisfies Record<Family, number>;
/** How many requests of the greedy person go before one of somebody else. */
const MAX_SERVED_FIRST = 5;

/** How many times slower the clock of a greedy person is. */
const SLOWNESS = 1_000;

/** The clock of a greedy person: no wait is so long for them that they give up or return to the task queue. They always have a request in the queue. */
class SlowTime extends TestTime {
  override readonly now: () => number;
  override readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;

  constructor(clock: SimulatedTime) {
    super();
    const start = clock.now;
    this.now = () => Math.floor(start + (clock.now - start) / SLOWNESS);
    this.sleep = async (ms, signal) => {
      signal?.throwIfAborted();
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      await Promise.race([clock.sleep(ms * SLOWNESS), aborted]);
    };
  }
}

/** The real rate limits with their wait queues, in simulated time. */
function limits() {
  const clock = new SimulatedTime(new TestTime().now());
  const start = clock.now;
  const now = () => Math.floor(clock.now);
  const dynamo = createMemoryDynamo();
  const granted: Record<Family, Granted[]> = { chat: [], speech: [], video: [] };
  const permitsOf = (family: Family): RequestPermits => {
    const limiter = new KeyRateLimiter({
      buckets: new TokenBuckets(dynamo, 'tokens', now),
      family,
      limit: ENDPOINT_LIMITS[family],
      keys: () => Promise.resolve(['key']),
      now,
      random: createSeededRandom(1),
    });
    const note = ({ person = '' }: { readonly person?: string | undefined }) =>
      void granted[family].push({ person, atMs: clock.now - start });
    return {
      take: async (request) => {
        // The clock of the request is another one.
        let decision = await limiter.take({ ...request, requestedAtMs: undefined, maxWaitMs: Infinity });
        while (decision.kind === 'waiting') {
          await clock.sleep(Math.min(Math.max(decision.waitMs, 1), 500));
          decision = await limiter.poll(decision.place);
        }
        if (decision.kind === 'granted') note(request);
        return decision;
      },
      takeFree: async (request) => {
        const permit = await limiter.takeFree({ ...request, requestedAtMs: undefined });
        if (permit) note(request);
        return permit;
      },
      poll: (place) => limiter.poll(place),
      find: (request) => limiter.find(request),
      leave: (place) => limiter.leave(place),
      leaveById: (request) => limiter.leaveById(request),
      release: (permit) => limiter.release(permit),
      report: (...report) => limiter.report(...report),
    };
  };
  const permits: Permits = {
    chat: permitsOf('chat'),
    speech: permitsOf('speech'),
    video: permitsOf('video'),
  };
  /** Runs until all of these have ended. Files are compressed outside of the simulated time. */
  const run = async (all: readonly Promise<unknown>[]): Promise<void> => {
    let left = all.length;
    for (const one of all) void one.finally(() => (left -= 1)).catch(() => undefined);
    let idle = 0;
    const isDone = () => left === 0;
    while (!isDone()) {
      const before = clock.now;
      await clock.run(isDone);
      await new Promise((resolve) => setImmediate(resolve));
      idle = clock.now > before ? 0 : idle + 1;
      if (idle > 10_000) throw new Error(`${left} of ${all.length} do not end`);
    }
    await Promise.all(all);
  };
  return { clock, start, permits, granted, run, time: () => new SlowTime(clock) };
}

test('while one greedy person uses every way at once, the others are served in turn', async () => {
  const { clock, start, permits, granted, run, time } = limits();
  // Most of them twice, so that they never wait for their own answers.
  const incomplete: string[] = [];
  const ways = (rows ?? []).flatMap(([name, limit]) =>
    Array.from({ length: name.startsWith('Trans') ? 1 : 2 }, async () => {
      const spent = await CASES[name]?.({ ...permits, time });
      // Suggestions are not waited for: without a free permit there are none.
      const isComplete = spent?.requests === limit || name === 'Suggested questions';
      if (!isComplete) incomplete.push(`${name}: ${spent?.requests} instead of ${limit}`);
    }),
  );
  const waits: {
    readonly family: Family;
    readonly from: number;
    readonly ms: number;
  }[] = [];
  const other = async (family: Family, nth: number, afterMs: number) => {
    await clock.sleep(LATER_MS + afterMs);
    const from = clock.now - start;
    const holder = toHolder(HOME, `other-${nth}`);
    await permits[family].take({ ...holder, maxWaitMs: Infinity });
    waits.push({ family, from, ms: clock.now - start - from });
  };
  const others = [
    ...Array.from({ length: 10 }, (_, n) => other('chat', n, n * 300)),
    ...Array.from({ length: 5 }, (_, n) => other('speech', n, n * 900)),
    ...Array.from({ length: 3 }, (_, n) => other('video', n, n * 2_000)),
  ];
  await run([...ways, ...others]);
  expect(incomplete).toEqual([]);
  expect(waits).toHaveLength(others.length);
  for (const { family, from, ms } of waits) {
    expect([family, ms < SERVED_MS[family]]).toEqual([family, true]);
    // At most those whose turn it was before.
    const earlier = granted[family].filter(
      ({ person, atMs }) => person.endsWith(`#U#${GREEDY}`) && atMs > from && atMs < from + ms,
    );
    expect([family, earlier.length <= MAX_SERVED_FIRST]).toEqual([family, true]);
  }
  // The greedy person waited all the time, and goes on when the others are served.
  for (const family of FAMILIES) {
    const servedMs = Math.max(
      ...waits.filter((one) => one.family === family).map(({ from, ms }) => from + ms),
    );
    expect([family, granted[family].some(({ atMs }) => atMs > servedMs + LATER_MS)]).toEqual([family, true]);
  }
});
