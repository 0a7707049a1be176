import { expect, test } from '@jest/globals';
import { channelId, workspaceId } from '../../../shared/domain/index.ts';
import { type CompletionEvent, DEFAULTS } from '../../../shared/ports/index.ts';
import { RateLimitedRequest } from '../../../shared/chat/model/rate-limited-request.ts';
import {
  MAX_IN_WORKER_WAIT_MS,
  MAX_RECHECK_MS,
  returnToQueue,
  toHolder,
} from '../../../shared/chat/model/wait-for-permit.ts';
import { CHAT_LIMIT, QueuedRequestError, RateLimitExceededError } from '../../../shared/rate-limits/index.ts';
import { Breakers, KeyRateLimiter, TokenBuckets } from '../../../shared/storage/index.ts';
import { RateLimitedError } from '../../../shared/upstream/index.ts';
import { BARE } from '../../fakes/bare-context.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { createSeededRandom } from '../../faults/seeded-random.ts';
import { SimulatedTime } from '../../limits/simulated-time.ts';

const T0 = Date.parse('2026-11-21T13:00:00Z');
const TEN_MINUTES = 600_000;
const ROUND_TRIP_MS = 200;

async function* nothing(): AsyncGenerator<CompletionEvent> {
  yield* [];
}

/** Four workers with one table and one key, in simulated time. */
function createWorkers() {
  const clock = new SimulatedTime(T0);
  const now = () => Math.floor(clock.now);
  const dynamo = createMemoryDynamo();
  const workers = Array.from({ length: 4 }, () => ({
    permits: new KeyRateLimiter({
      buckets: new TokenBuckets(dynamo, 'tokens', now),
      random: createSeededRandom(1),
      family: 'chat',
      limit: CHAT_LIMIT,
      keys: () => Promise.resolve(['key']),
      now,
    }),
    breakers: new Breakers({ dynamo, table: 'tokens', now, random: () => 0.5 }),
  }));
  return { clock, now, workers };
}

type Asked = { waitedMs: number; sent: number; isAnswered: boolean };
const NEVER: Asked = { waitedMs: Infinity, sent: 0, isAnswered: false };

/**
 * Somebody asks a question that always gets a 429, and others ask one question each `everyMs`. Each is delivered as the task
 * queue does it: with a place in the wait queue when its turn comes, otherwise for ten minutes.
 */
async function askBesides(everyMs: number, retryAfterMs: number | undefined) {
  const { clock, now, workers } = createWorkers();
  const limit = new RateLimitedError('limited', { status: 429, code: 'rate_limit_exceeded', retryAfterMs });

  async function ask(n: number, isLimited: boolean): Promise<Asked> {
    const began = clock.now;
    const worker = workers[n % workers.length];
    if (!worker) throw new Error('there is no worker');
    const place = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId(`C${n}`) } as const;
    const holder = toHolder(place, `U${n}`);
    const id = `question ${n}`;
    let sent = 0;
    let countedSince: number | undefined;
    const send = async ({ options }: RateLimitedRequest): Promise<void> => {
      for (;;) {
        await options.beforeAttempt(1, undefined, 'a');
        sent += 1;
        await clock.sleep(ROUND_TRIP_MS);
        options.onAttempt?.({ model: 'a', ...(isLimited && { error: limit }) });
        if (!isLimited) return;
        options.onRateLimit?.({ status: 429, code: limit.code, retryAfterMs });
      }
    };
    for (let isRedelivery = false; ; isRedelivery = true) {
      const isLast = clock.now - (countedSince ?? clock.now) >= TEN_MINUTES;
      const position = await worker.permits.find({ id, home: holder.home });
      if (!isLast && position && position.waitMs > MAX_IN_WORKER_WAIT_MS) {
        await clock.sleep(returnToQueue(position.waitMs).afterMs);
        continue;
      }
      const request = new RateLimitedRequest({
        signal: new AbortController().signal,
        canRequeue: !isLast,
        delivery: { deadline: now() + 800_000, isRedelivery, isLast },
        permitRequest: { ...holder, id: isLast ? undefined : id, requestedAtMs: began },
        context: {
          ...BARE,
          ...worker,
          chat: { ...streamsOnly, model: 'a', stream: nothing },
          time: { now, sleep: (ms) => clock.sleep(ms) },
          settings: DEFAULTS,
        },
      });
      const ended = await request.untilReported(send(request)).catch((error: unknown) => error);
      if (!(ended instanceof RateLimitExceededError) || isLast)
        return { waitedMs: clock.now - began, sent, isAnswered: ended === undefined };
      if (!(ended instanceof QueuedRequestError)) countedSince ??= clock.now;
      const { afterMs } =
        ended instanceof QueuedRequestError
          ? returnToQueue(ended.retryAfterMs)
          : { afterMs: Math.min(MAX_RECHECK_MS, ended.retryAfterMs) };
      await clock.sleep(afterMs);
    }
  }

  const all: Asked[] = [];
  const count = Math.floor((TEN_MINUTES * 1.2) / everyMs);
  for (let n = 0; n <= count; n += 1)
    clock.at(T0 + n * everyMs, () => void ask(n, n === 0).then((one) => (all[n] = one)));
  await clock.run(() => Object.keys(all).length === count + 1 || clock.now > T0 + 2 * TEN_MINUTES);
  const limited = all[0];
  const others = Array.from({ length: count }, (_, n) => all[n + 1] ?? NEVER);
  return { limited, others };
}

test.each([
  ['without a wait', 5_000, undefined, 3_000, 25],
  ['without a wait, while many ask', 1_000, undefined, 5_000, 25],
  ['that asks for 20 s', 5_000, 20_000, 45_000, 15],
  ['that asks for 20 s, while many ask', 1_000, 20_000, 45_000, 15],
])(
  'a question that always gets a 429 %s holds up nobody for long, and is given up after ten minutes',
  async (_, everyMs, retryAfterMs, longestMs, mostSent) => {
    const { limited, others } = await askBesides(everyMs, retryAfterMs);
    expect(others.filter(({ isAnswered }) => !isAnswered)).toHaveLength(0);
    const waits = others.map(({ waitedMs }) => waitedMs);
    expect(Math.max(...waits)).toBeLessThan(longestMs);
    expect(waits.reduce((sum, ms) => sum + ms, 0) / waits.length).toBeLessThan(longestMs / 4);
    expect(limited?.isAnswered).toBe(false);
    expect(limited?.waitedMs).toBeLessThan(TEN_MINUTES + 120_000);
    expect(limited?.sent).toBeLessThan(mostSent);
  },
);
