import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { pick } from '../../simulators/upstream/test-client.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { events, whole } from './clients.ts';

/** This client checks each field of each event against its schema: the strictest reader of the format. */

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

const ask = (content: string, model = 'model-c') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});

test('each model returns a completion without streaming', async () => {
  for (const model of ['model-a', 'model-b', 'model-c', 'vendor-flash-3']) {
    const answer = await whole(sim, ask('2 + 2?', model));
    expect(answer.choices[0]?.message.content).toBe('2 + 2 = **4**');
  }
});

test('each model returns a stream with usage', async () => {
  for (const model of ['model-a', 'model-b', 'model-c', 'vendor-flash-3']) {
    let text = '';
    let total = 0;
    for await (const chunk of await events(sim, ask('2 + 2?', model))) {
      text += chunk.choices[0]?.delta.content ?? '';
      total = chunk.usage?.totalTokens ?? total;
    }
    expect(text).toBe('2 + 2 = **4**');
    expect(total).toBeGreaterThan(2);
  }
});

test('tool calls are returned, streamed or not', async () => {
  const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
  const request = { ...ask('What is the weather in Oslo?'), tools };
  const answer = await whole(sim, request);
  expect(answer.choices[0]?.message.toolCalls?.[0]?.function.name).toBe('get_weather');
  let args = '';
  for await (const chunk of await events(sim, request))
    args += chunk.choices[0]?.delta.toolCalls?.[0]?.function?.arguments ?? '';
  expect(typeof pick(JSON.parse(args), 'place')).toBe('string');
});

test('log probabilities are returned', async () => {
  const answer = await whole(sim, { ...ask('[[sim:say=a b]]'), logprobs: true, topLogprobs: 2 });
  expect(answer.choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(['a', ' b']);
});
