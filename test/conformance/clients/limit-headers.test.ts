import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createUpstream } from '../../../shared/upstream/index.ts';
import { Breakers } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { readResponse } from '../../upstream/raw-server-harness.ts';
import { TestTime } from '../../upstream/time.ts';
import { CLIENTS, openai } from './clients.ts';

/** Most servers of the format send no limit headers. All clients must work without them. */

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0, limitHeaders: 'none' });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

describe.each(Object.entries(CLIENTS))('%s, on a server without limit headers', (_, readText) => {
  test('reads a stream', async () => {
    expect(await readText(sim, 'model-c', '[[sim:say=one two]]')).toBe('one two');
  });

  test('rejects when a model stays at capacity', async () => {
    await expect(readText(sim, 'model-c', '[[sim:capacity]]')).rejects.toThrow();
  });
});

test('the most used client retries a model at capacity without a Retry-After, and is answered', async () => {
  sim.control.fail({ kind: 'capacity' });
  const messages = [{ role: 'user' as const, content: '1 + 1' }];
  const answer = await openai(sim, 1).chat.completions.create({ model: 'model-c', messages });
  expect(answer.choices[0]?.message.content).toBe('1 + 1 = **2**');
  expect(sim.journal.map(({ status }) => status)).toEqual([429, 200]);
});

/** The project's client with the breaker of a model, as the bot uses it. */
async function askWithBreaker(baseUrl: string, apiKey: string, breakers: Breakers, time: TestTime) {
  const upstream = createUpstream({
    baseUrl,
    apiKey: () => Promise.resolve(apiKey),
    time,
    random: () => 0.5,
  });
  const reports: Promise<void>[] = [];
  let tries = 0;
  try {
    const model = 'gpt-4o';
    const seen = await readResponse(
      upstream.chat.stream(
        { model, messages: [{ role: 'user', content: 'plain' }] },
        {
          waitsForLimits: 'caller',
          beforeAttempt: async () => {
            await Promise.all(reports);
            for (let wait = await breakers.enter(model); wait > 0; wait = await breakers.enter(model)) {
              await time.sleep(wait);
            }
            tries += 1;
          },
          onAttempt: ({ error }) =>
            void reports.push(
              error?.kind === 'at-capacity'
                ? breakers.recordFailure(model, error.retryAfterMs)
                : breakers.recordSuccess(model),
            ),
        },
      ),
    );
    await Promise.all(reports);
    return { text: seen.end?.text, tries };
  } finally {
    await upstream.close();
  }
}

test('on a third-party server, a success closes the breaker of a model that was at capacity', async () => {
  const mock = new LLMock({ port: 0 });
  mock.onMessage('plain', { content: 'Hello' });
  const baseUrl = await mock.start();
  const time = new TestTime();
  const breakers = new Breakers({
    dynamo: createMemoryDynamo(),
    table: 'tokens',
    now: time.now,
    random: () => 0.5,
  });
  try {
    mock.nextRequestError(429, { message: 'Full', type: 'rate_limit_error', code: 'model_at_capacity' });
    expect(await askWithBreaker(baseUrl, 'sk-test', breakers, time)).toEqual({ text: 'Hello', tries: 2 });
    const before = time.now();
    expect(await askWithBreaker(baseUrl, 'sk-test', breakers, time)).toEqual({ text: 'Hello', tries: 1 });
    expect(time.now() - before).toBe(0);
    expect(await breakers.waitMs('gpt-4o')).toBe(0);
  } finally {
    await mock.stop();
  }
});
