import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { withSettings } from '../../../shared/settings/load-settings.ts';
import { RateLimitedRequest } from '../../../shared/chat/model/rate-limited-request.ts';
import { toHolder, waitDeadlineMs } from '../../../shared/chat/model/wait-for-permit.ts';
import { type ChatOptions } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { Breakers } from '../../../shared/storage/index.ts';
import { RateLimitExceededError } from '../../../shared/rate-limits/index.ts';
import { AtCapacityError, AuthError, ServerError, TimedOutError } from '../../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { UNLIMITED_PERMITS } from '../../fakes/permits.ts';
import { fakeInteraction, commandHarness as commands, typedCommand } from '../../commands/command-harness.ts';
import { ADMIN } from '../../commands/settings-harness.ts';
import { endEvent, outcomeOf, completionHarness, TURN } from '../completion-harness.ts';

const FULL = new AtCapacityError('full', { status: 429 });

test('limit headers reach the rate limiter with the time when the request was sent', async () => {
  const calls: unknown[] = [];
  const feedback = { status: 200, remaining: 3 };
  const { run, work, time } = completionHarness([
    [(options) => options.onRateLimit?.(feedback), endEvent('Yes.')],
  ]);
  Object.assign(work.context, {
    permits: { ...UNLIMITED_PERMITS, report: async (...args: unknown[]) => void calls.push(args) },
  });
  const sentMs = time.now();
  await run();
  expect(calls).toEqual([[{ key: 'key' }, { ...feedback, sentMs }]]);
});

const another = (options: ChatOptions): void => {
  options.onAttempt?.({ model: 'model-a', error: FULL });
  options.onAttempt?.({ model: 'model-b' });
};

test('the answer names the stand-in model only when that model answered', async () => {
  const { steps } = await outcomeOf(
    completionHarness([[another, endEvent('Yes.', { model: 'model-b' })]]).run(),
  );
  expect(steps).toEqual([
    { id: 'stand-in', title: expect.stringMatching(/model-a.*model-b/u), state: 'done' },
  ]);
  const alone = await outcomeOf(
    completionHarness([[(o) => o.onAttempt?.({ model: 'model-a' }), endEvent('Yes.')]]).run(),
  );
  expect(alone.steps).toEqual([]);
});

/** The request options of a workspace after these commands of an administrator. */
async function askedAfter(...lines: readonly string[]) {
  const requests: ChatOptions[] = [];
  const at = commands({
    chat: {
      ...streamsOnly,
      model: 'model-a',
      async *stream(_: unknown, options: ChatOptions) {
        requests.push(options);
        yield endEvent('Yes.');
      },
    },
  });
  for (const [n, line] of lines.entries()) {
    await at.call(fakeInteraction(typedCommand(line), { id: `set-${n}`, by: ADMIN }));
  }
  at.time.advance(60_000);
  const place = { ...TURN.thread, thread: TURN.thread, user: TURN.asker };
  const context = await withSettings(place, at.context);
  const options = { signal: new AbortController().signal, deadline: at.time.now() + 60_000, maxTokens: 10 };
  for await (const _ of context.chat.stream([], { ...options, beforeAttempt: () => Promise.resolve() })) {
    // The text of the answer does not matter.
  }
  return { sampling: requests[0]?.sampling, context, time: at.time };
}

test.each([
  ['frequencyPenalty', '0.5', { frequencyPenalty: 0.5 }],
  ['presencePenalty', '-0.5', { presencePenalty: -0.5 }],
  ['temperature', '0.2', { temperature: 0.2 }],
  ['topP', '0.9', { topP: 0.9 }],
  ['topK', '20', { topK: 20 }],
  ['minP', '0.1', { minP: 0.1 }],
  ['repetitionPenalty', '1.1', { repetitionPenalty: 1.1 }],
  ['effort', 'low', { reasoningEffort: 'low' }],
])('the setting %s reaches the model', async (name, value, sampling) => {
  const afterSetting = await askedAfter(`settings name:${name} value:${value} for:workspace`);
  expect(afterSetting.sampling).toEqual(sampling);
});

test('a locked model is used, whatever model the request names', async () => {
  const { context, time } = await askedAfter(
    'settings name:model value:model-b lock:"it is paid for" for:workspace',
  );
  const request = new RateLimitedRequest({
    context,
    signal: new AbortController().signal,
    delivery: { deadline: time.now() + 60_000, isRedelivery: false, isLast: false },
    permitRequest: toHolder(TURN.thread, TURN.asker),
  });
  expect(await request.selectModels('model-c')).toMatchObject({ model: 'model-b' });
});

test.each(['stopped', 'too late'])('a permit after an abort (%s) is returned', async (reason) => {
  const stop = new AbortController();
  const client = new AbortController();
  // As the client does, which also aborts at its own deadline.
  stop.signal.addEventListener('abort', () => client.abort(stop.signal.reason));
  const grant = Promise.withResolvers<void>();
  const noted: string[] = [];
  const { work, time } = completionHarness([]);
  const request = new RateLimitedRequest({
    context: {
      ...work.context,
      permits: {
        ...UNLIMITED_PERMITS,
        take: async () => {
          await grant.promise;
          return { kind: 'granted', permit: { key: 'key' } };
        },
        release: async ({ key }) => void noted.push(`released: ${key}`),
      },
      breakers: {
        ...work.context.breakers,
        waitMs: async () => 0,
        enter: async () => 0,
        recordNoResult: async (model) => void noted.push(`no result: ${model}`),
      },
    },
    signal: stop.signal,
    delivery: { deadline: time.now() + 60_000, isRedelivery: false, isLast: false },
    permitRequest: toHolder(TURN.thread, TURN.asker),
  });
  const attempt = request.options.beforeAttempt(1, client.signal, 'model-a');
  await setImmediate();
  (reason === 'stopped' ? stop : client).abort(new Error(reason));
  // As the client does at an abort.
  await request.end();
  grant.resolve();
  await expect(attempt).rejects.toThrow(reason);
  expect(noted).toEqual(['no result: model-a', 'released: key']);
  expect(request.countBillable()).toBe(0);
});

test('no model is asked while the model and its fallbacks are at capacity', async () => {
  const { work, time } = completionHarness([], { settings: { standIns: ['model-b'] } });
  const breakers = new Breakers({
    dynamo: createMemoryDynamo(),
    table: 'tokens',
    now: time.now,
    random: () => 0.5,
  });
  for (const model of ['model-a', 'model-b']) await breakers.recordFailure(model, 4_000);
  const began = time.now();
  const request = new RateLimitedRequest({
    context: { ...work.context, breakers },
    signal: new AbortController().signal,
    delivery: work.delivery,
    permitRequest: toHolder(TURN.thread, TURN.asker),
  });
  await request.selectModels(undefined);
  expect(time.now() - began).toBeGreaterThanOrEqual(4_000);
});

test('a permit is released before the next is taken when the model reached its capacity meanwhile', async () => {
  const order: string[] = [];
  const waits = [2_000, 0];
  const { work } = completionHarness([]);
  const request = new RateLimitedRequest({
    context: {
      ...work.context,
      permits: {
        ...UNLIMITED_PERMITS,
        take: async (...args: Parameters<typeof UNLIMITED_PERMITS.take>) => {
          order.push('taken');
          return UNLIMITED_PERMITS.take(...args);
        },
        release: async () => {
          await setImmediate();
          order.push('given back');
        },
      },
      breakers: {
        waitMs: async () => 0,
        enter: async () => waits.shift() ?? 0,
        recordNoResult: async () => undefined,
        recordSuccess: async () => undefined,
        recordFailure: async () => undefined,
      },
    },
    signal: new AbortController().signal,
    delivery: work.delivery,
    permitRequest: toHolder(TURN.thread, TURN.asker),
  });
  await request.options.beforeAttempt(1, new AbortController().signal, 'model-a');
  expect(order).toEqual(['taken', 'given back', 'taken']);
});

const waits = (leftMs: number): number =>
  waitDeadlineMs(
    { deadline: 1_000_000 + leftMs, isRedelivery: false, isLast: false },
    { now: () => 1_000_000 },
  ) - 1_000_000;

describe('the time that one delivery waits', () => {
  test('is at most half of its remaining time', () => {
    expect([waits(60_000), waits(60_001), waits(1), waits(-5)]).toEqual([30_000, 30_000, 0, 0]);
  });

  test('has a maximum, however much time remains', () => {
    expect(waits(10_000_000)).toBe(waits(20_000_000));
    expect(waits(10_000_000)).toBeLessThan(5_000_000);
  });
});

test.each([
  ['at the time of its turn', 70_000, 70_000],
  ['sooner than its turn if that is far off', 3_600_000, 90_000],
])(
  'a private question without a permit is retried %s, until its last delivery',
  async (_, retryAfterMs, afterMs) => {
    const at = commands({
      permits: {
        ...UNLIMITED_PERMITS,
        take: () => Promise.resolve({ kind: 'refused', retryAfterMs } as const),
      },
      chat: {
        ...streamsOnly,
        async *stream(_prompt: unknown, { beforeAttempt }: ChatOptions) {
          await beforeAttempt();
          yield endEvent('never');
        },
      },
    });
    const question = fakeInteraction(typedCommand('ask private:yes why?'));
    expect(await at.call(question)).toEqual({ kind: 'later', afterMs });
    expect(at.stage.answers).toEqual([]);
    expect(await at.call(question, true)).toEqual({ kind: 'done' });
    expect(at.stage.answers).toMatchObject([{ card: { tone: 'bad' } }]);
  },
);

/** A request, of which the first permits are granted. */
function createRequest(permitCount: number) {
  const { work } = completionHarness([]);
  const granted = Array.from({ length: permitCount }, () => UNLIMITED_PERMITS.take);
  const take: typeof UNLIMITED_PERMITS.take = (ask) => {
    const next = granted.shift();
    return next ? next(ask) : Promise.resolve({ kind: 'refused', retryAfterMs: 1_000 });
  };
  return new RateLimitedRequest({
    context: { ...work.context, permits: { ...UNLIMITED_PERMITS, take } },
    delivery: work.delivery,
    signal: new AbortController().signal,
    permitRequest: toHolder(TURN.thread, TURN.asker),
  });
}

describe('the requests that may be billed', () => {
  const LOST = new TimedOutError('late', { code: 'first_byte' });
  const REJECTED = new ServerError('no', { status: 500 });
  const NO_PERMIT = new RateLimitExceededError(1_000);
  const KEY_REJECTED = new AuthError('rejected before', { status: 401 });

  test('are those without a response, also if there is no permit for another attempt', async () => {
    const request = createRequest(1);
    await request.options.beforeAttempt();
    request.options.onAttempt?.({ error: LOST });
    await expect(request.options.beforeAttempt()).rejects.toThrow(RateLimitExceededError);
    expect(request.countBillable(NO_PERMIT)).toBe(1);
  });

  test('are none without a permit, and none if all were rejected or not sent', async () => {
    const request = createRequest(3);
    const { beforeAttempt, onAttempt } = request.options;
    await beforeAttempt();
    expect(request.countBillable()).toBe(1);
    onAttempt?.({ error: REJECTED });
    expect(request.countBillable(REJECTED)).toBe(0);
    await beforeAttempt();
    // Its key is known as rejected: it is not sent, and not reported.
    await beforeAttempt();
    expect(request.countBillable(KEY_REJECTED)).toBe(0);
    await expect(beforeAttempt()).rejects.toThrow(RateLimitExceededError);
    expect(request.countBillable(NO_PERMIT)).toBe(0);
  });

  test('are all that the server answered or left without an answer', async () => {
    const request = createRequest(3);
    const { beforeAttempt, onAttempt } = request.options;
    for (const error of [LOST, undefined]) {
      await beforeAttempt();
      onAttempt?.({ error });
    }
    expect(request.countBillable()).toBe(2);
    // The stream ends with an error of the server before the first word: this response is a rejection.
    expect(request.countBillable(REJECTED)).toBe(1);
  });
});
