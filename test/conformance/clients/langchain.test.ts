import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { tool } from '@langchain/core/tools';
import * as z from 'zod';
import { pick } from '../../simulators/upstream/test-client.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { langchain } from './clients.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

test('a stream has text and usage', async () => {
  let text = '';
  let total = 0;
  for await (const chunk of await langchain(sim, 'model-c').stream('[[sim:say=one two]]')) {
    text += chunk.text;
    total += Number(pick(chunk.usage_metadata, 'total_tokens') ?? 0);
  }
  expect(text).toBe('one two');
  expect(total).toBeGreaterThan(2);
});

test('structured output is parsed', async () => {
  const schema = z.object({ colour: z.enum(['red', 'green']), count: z.int().min(3).max(5) });
  const answer = await langchain(sim, 'model-c').withStructuredOutput(schema).invoke('How many?');
  expect(schema.safeParse(answer).success).toBe(true);
});

test('structured output by a forced tool is parsed', async () => {
  const schema = z.object({ colour: z.enum(['red', 'green']) });
  const model = langchain(sim, 'model-c').withStructuredOutput(schema, { method: 'functionCalling' });
  expect(schema.safeParse(await model.invoke('Which?')).success).toBe(true);
});

test('tool calls are streamed', async () => {
  const weather = tool(() => 'rain', {
    name: 'get_weather',
    description: 'Tells the weather.',
    schema: z.object({ place: z.string() }),
  });
  const model = langchain(sim, 'model-c').bindTools([weather]);
  const { tool_calls: calls } = await model.invoke('What is the weather in Oslo?');
  expect(calls?.map(({ name }) => name)).toEqual(['get_weather']);
  expect(typeof calls?.[0]?.args['place']).toBe('string');
});

test('a temporary rate limit is waited for', async () => {
  sim.control.fail({ kind: 'error', status: 503 });
  const { text } = await langchain(sim, 'model-c', 1).invoke('2 + 2?');
  expect(text).toBe('2 + 2 = **4**');
  expect(sim.journal.map(({ status }) => status)).toEqual([503, 200]);
});
