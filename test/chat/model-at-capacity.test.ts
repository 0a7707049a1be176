import { BARE } from '../fakes/bare-context.ts';
import { describe, expect, test } from '@jest/globals';
import { channelId, workspaceId } from '../../shared/domain/index.ts';
import { type CompletionEvent, type ChatOptions, DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { RateLimitedRequest } from '../../shared/chat/model/rate-limited-request.ts';
import { toHolder } from '../../shared/chat/model/wait-for-permit.ts';
import { Breakers, TokenBuckets, KeyRateLimiter } from '../../shared/storage/index.ts';
import { CHAT_LIMIT, PROBE_TIMEOUT_MS } from '../../shared/rate-limits/index.ts';
import { localize } from '../../shared/i18n/index.ts';
import { AtCapacityError, ServerError } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';

const T0 = Date.parse('2026-11-21T13:00:00Z');
/** From sending a request to its response. */
const ROUND_TRIP_MS = 50;

/** Not used: see `call`. */
async function* nothing(): AsyncGenerator<CompletionEvent> {
  yield* [];
}

type Answered =
  | 'answer'
  | 'full'
  | { readonly full: number }
  | 'error'
  /** The worker is killed while it waits for the response: this question ends. */
  | 'killed';

/** A model with given responses, over several processes that share a table; returns the result of each question. */
async function asking(
  questions: readonly { readonly atMs: number; readonly model?: string }[],
  answers: (atMs: number, model: string) => Answered,
  settings: { readonly standIns?: readonly string[] } = {},
) {
  const clock = new SimulatedTime(T0);
  const dynamo = createMemoryDynamo();
  const now = () => Math.floor(clock.now);
  const random = createSeededRandom(1);
  const workers = Array.from({ length: 4 }, () => ({
    permits: new KeyRateLimiter({
      buckets: new TokenBuckets(dynamo, 'tokens', now),
      random,
      family: 'chat',
      limit: CHAT_LIMIT,
      keys: () => Promise.resolve(['key']),
      now,
    }),
    breakers: new Breakers({ dynamo, table: 'tokens', now, random: () => 0.5 }),
  }));
  let over = 0;
  const sent: number[] = [];
  const outcomes: { answeredMs?: number; failed?: string; words: string[]; by?: string | undefined }[] = [];

  /** As the upstream client behaves when its caller waits. */
  async function call(
    options: Required<Pick<ChatOptions, 'beforeAttempt'>> & Partial<ChatOptions>,
    models: readonly string[],
  ) {
    for (let at = 0; ;) {
      const model = models[at] ?? '';
      await options.beforeAttempt(1, undefined, model);
      sent.push(clock.now - T0);
      await clock.sleep(ROUND_TRIP_MS);
      const answered = answers(clock.now - T0, model);
      if (answered === 'answer') {
        options.onAttempt?.({ model });
        return;
      }
      if (answered === 'killed') {
        over += 1;
        return new Promise<never>(() => undefined);
      }
      if (answered === 'error') {
        const error = new ServerError('down', { status: 500 });
        options.onAttempt?.({ model, error });
        throw error;
      }
      const retryAfterMs = answered === 'full' ? undefined : answered.full;
      options.onAttempt?.({ model, error: new AtCapacityError('full', { status: 429, retryAfterMs }) });
      at = at + 1 < models.length ? at + 1 : 0;
    }
  }

  const begin = async (n: number, wanted: string | undefined): Promise<void> => {
    const worker = workers[n % workers.length];
    if (!worker) return;
    const outcome: (typeof outcomes)[number] = { words: [] };
    outcomes[n] = outcome;
    const place = { platform: 'slack', workspace: workspaceId('T1'), channel: channelId(`C${n}`) } as const;
    const request = new RateLimitedRequest({
      statusIndicator: { show: (saying) => void outcome.words.push(localize('en', ...saying)) },
      signal: new AbortController().signal,
      delivery: { deadline: T0 + 900_000, isRedelivery: false, isLast: false },
      permitRequest: toHolder(place, `U${n}`),
      context: {
        ...BARE,
        ...worker,
        chat: { ...streamsOnly, model: 'a', stream: nothing },
        time: { now, sleep: (ms) => clock.sleep(ms) },
        settings: { ...DEFAULTS, standIns: settings.standIns ?? [] },
      },
    });
    const began = clock.now;
    try {
      const { model = 'a', standIns = [] } = await request.selectModels(wanted);
      await request.untilReported(call(request.options, [model, ...standIns]));
      outcome.answeredMs = clock.now - began;
      outcome.by = request.findStandIn(wanted ?? 'a');
    } catch (error) {
      outcome.failed = error instanceof Error ? error.name : 'unknown';
    }
  };
  for (const [n, { atMs, model }] of questions.entries()) {
    clock.at(T0 + atMs, () => void begin(n, model).finally(() => (over += 1)));
  }
  await clock.run(() => over === questions.length);
  return { outcomes, sent };
}

const many = (count: number, atMs = 0) => Array.from({ length: count }, () => ({ atMs }));
const waits = (outcomes: readonly { answeredMs?: number }[]) =>
  outcomes.map(({ answeredMs = Infinity }) => answeredMs);

describe('one capacity error, on a server without limit headers', () => {
  test('delays nobody by more than a moment', async () => {
    let first = true;
    const once = (): Answered => {
      const answered = first ? 'full' : 'answer';
      first = false;
      return answered;
    };
    const { outcomes } = await asking([...many(5), ...many(5, 3_000), ...many(5, 60_000)], once);
    expect(Math.max(...waits(outcomes))).toBeLessThan(2_000);
    expect(waits(outcomes.slice(5)).every((ms) => ms <= ROUND_TRIP_MS + 1)).toBe(true);
  });
});

describe('a model at capacity for a minute', () => {
  const FREE_AT_MS = 50_000;
  const full = (atMs: number): Answered => (atMs < FREE_AT_MS ? 'full' : 'answer');

  test('gets one probe at a time, and everybody continues within three seconds after it recovers', async () => {
    const { outcomes, sent } = await asking(many(20), full);
    expect(Math.min(...waits(outcomes))).toBeLessThan(FREE_AT_MS + 3_000);
    expect(Math.max(...waits(outcomes))).toBeLessThan(FREE_AT_MS + 4_000);
    // Four processes had to learn it, each with its requests in flight; then one probe every second or two.
    expect(sent.filter((ms) => ms > 1_000 && ms < FREE_AT_MS).length).toBeLessThanOrEqual(FREE_AT_MS / 1_000);
  });

  test('is named to waiting people, without a wait time that nobody knows', async () => {
    const { outcomes } = await asking(many(3), full);
    for (const { words } of outcomes) {
      expect(words[0]).toBe('is waiting: the model is at capacity; trying again every few seconds');
      expect(words.join()).not.toMatch(/about/u);
    }
  });

  test('returns questions to the queue at the end of a delivery, to be redelivered at once', async () => {
    const { outcomes } = await asking(many(2), () => 'full');
    expect(outcomes.map(({ failed }) => failed)).toEqual(['AllModelsBusyError', 'AllModelsBusyError']);
  });
});

test('a model at capacity gets no request before its retry-after time, and people see that time', async () => {
  const { outcomes, sent } = await asking(many(2), (atMs) => (atMs < 20_000 ? { full: 20_000 } : 'answer'));
  expect(outcomes[0]?.words[0]).toBe('is waiting: the model is at capacity for about 20 s');
  expect(sent.filter((ms) => ms > 100 && ms < 20_000)).toEqual([]);
  expect(Math.max(...waits(outcomes))).toBeLessThan(23_000);
});

/** At capacity, then failing, then working. */
const recovering = (atMs: number): Answered => (atMs < 500 ? 'full' : atMs < 1_500 ? 'error' : 'answer');

test('a probe that ends with another error blocks nobody', async () => {
  // Probed after about a second, with an error as the response; the next question is sent at once.
  const { outcomes } = await asking(many(4), recovering);
  expect(outcomes.filter(({ failed }) => failed === 'ServerError').length).toBeLessThanOrEqual(2);
  const answered = outcomes.flatMap(({ answeredMs }) => answeredMs ?? []);
  expect(answered.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...answered)).toBeLessThan(3_000);
});

test('a worker that dies during a probe blocks the others for at most five seconds', async () => {
  let killedAt = Infinity;
  const { outcomes } = await asking(many(20), (atMs) => {
    if (atMs < 2_000) return 'full';
    if (killedAt < Infinity) return 'answer';
    killedAt = atMs;
    return 'killed';
  });
  expect(killedAt).toBeLessThan(5_000);
  const answered = outcomes.flatMap(({ answeredMs }) => answeredMs ?? []);
  expect(answered).toHaveLength(19);
  // Nobody continues before the lease expires, and everybody within a second after it.
  expect(Math.min(...answered)).toBeGreaterThan(killedAt + PROBE_TIMEOUT_MS - ROUND_TRIP_MS);
  expect(Math.max(...answered)).toBeLessThan(killedAt + PROBE_TIMEOUT_MS + 2_000);
});

describe('a model with stand-in models', () => {
  test('gets no request while it is at capacity, even without limit headers', async () => {
    const { outcomes } = await asking(
      [...many(3), ...many(3, 500)],
      (_, model) => (model === 'a' ? 'full' : 'answer'),
      { standIns: ['b'] },
    );
    expect(outcomes.map(({ by }) => by)).toEqual(Array.from({ length: 6 }, () => 'b'));
    expect(Math.max(...waits(outcomes))).toBeLessThan(500);
  });

  test('whose stand-in models are at capacity too waits for the first one that recovers', async () => {
    const { outcomes } = await asking(
      many(3),
      (atMs, model) => (model === 'b' && atMs > 5_000 ? 'answer' : 'full'),
      { standIns: ['b'] },
    );
    expect(Math.max(...waits(outcomes))).toBeLessThan(8_500);
  });
});
