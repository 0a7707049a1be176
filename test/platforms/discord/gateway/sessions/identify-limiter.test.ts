import { expect, test } from '@jest/globals';
import {
  createIdentifyLimiter,
  type IdentifyDeps,
} from '../../../../../shared/platforms/discord/gateway/sessions/identify-limiter.ts';
import { UnauthorizedError } from '../../../../../shared/platforms/discord/gateway/rest-reads.ts';

/** The limiter on a clock that only waiting advances. */
function harness(maxConcurrency: number, changes: Partial<IdentifyDeps> = {}) {
  let now = 0;
  const waits: number[] = [];
  const logged: string[] = [];
  const note = (event: string): void => void logged.push(event);
  const gate = createIdentifyLimiter({
    reads: { gateway: async () => ({ shards: 1, remaining: 1_000, resetAfterMs: 0, maxConcurrency }) },
    sessionLimit: {
      take: async (_, shards) => {
        waits.push(shards);
        return { granted: true, waitMs: 0 };
      },
    },
    now: () => now,
    wait: async (ms) => {
      now += Math.max(0, ms);
    },
    onInvalidToken: () => new Promise(() => undefined),
    log: { debug: note, info: note, warn: note, error: note },
    ...changes,
  });
  const begin = (id: number, count: number): Promise<number> => gate({ id, count }).then(() => now);
  return { begin, waits, logged };
}

const all = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

test.each([
  [1, [0, 6_000, 12_000, 18_000]],
  [2, [0, 0, 6_000, 6_000]],
  [16, [0, 0, 0, 0]],
])('with max_concurrency %i, shards start in the order %j', async (maxConcurrency, times) => {
  const { begin } = harness(maxConcurrency);
  expect(await Promise.all(all(4).map((id) => begin(id, 4)))).toEqual(times);
});

test('the own session allowance grows with the number of shards', async () => {
  const { begin, waits } = harness(1);
  await begin(0, 64);
  expect(waits).toEqual([64]);
});

test('several processes take turns by the table, and request no session before their turn', async () => {
  const turns = [{ granted: false, retryAfterMs: 5_000 } as const, { granted: true, waitMs: 2_000 } as const];
  const keys: number[] = [];
  const { begin, waits } = harness(4, {
    identifyLimit: {
      take: async (key) => {
        keys.push(key);
        return turns.shift() ?? { granted: true, waitMs: 0 };
      },
    },
  });
  expect(await begin(6, 8)).toBe(7_000);
  expect(keys).toEqual([2, 2]);
  expect(waits).toEqual([8]);
});

test('with an invalid token nothing starts, and no other process gets a turn', async () => {
  let refusals = 0;
  const { begin, waits } = harness(1, {
    reads: { gateway: () => Promise.reject(new UnauthorizedError('no')) },
    onInvalidToken: () => {
      refusals += 1;
      return new Promise(() => undefined);
    },
  });
  const starts: number[] = [];
  for (const id of all(2)) void begin(id, 2).then(() => starts.push(id));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect([starts, waits, refusals]).toEqual([[], [], 1]);
});
