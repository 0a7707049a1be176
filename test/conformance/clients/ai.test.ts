import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import * as z from 'zod';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { compatible } from './clients.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

test('a stream has text, reasoning, usage and a finish reason', async () => {
  const result = streamText({
    model: compatible(sim)('model-a'),
    prompt: '[[sim:say=one two]]',
    maxRetries: 0,
  });
  expect(await result.text).toBe('one two');
  expect(await result.reasoningText).not.toBe('');
  expect(await result.finishReason).toBe('stop');
  expect((await result.usage).outputTokens).toBeGreaterThan(2);
});

test('a completion without streaming is complete', async () => {
  const { text, usage } = await generateText({
    model: compatible(sim)('model-c'),
    prompt: '2 + 2?',
    maxRetries: 0,
  });
  expect(text).toBe('2 + 2 = **4**');
  expect(usage.inputTokens).toBeGreaterThan(0);
});

test('structured output is parsed', async () => {
  const schema = z.object({ colour: z.enum(['red', 'green']), count: z.int().min(3).max(5) });
  const { output } = await generateText({
    model: compatible(sim)('vendor-flash-3'),
    prompt: 'How many?',
    output: Output.object({ schema }),
    maxRetries: 0,
  });
  expect(schema.safeParse(output).success).toBe(true);
});

test('tools run until the answer is complete', async () => {
  const places: string[] = [];
  const weather = tool({
    description: 'Tells the weather.',
    inputSchema: z.object({ place: z.string() }),
    execute: ({ place }) => {
      places.push(place);
      return 'rain';
    },
  });
  const result = streamText({
    model: compatible(sim)('model-a'),
    prompt: 'What is the weather in Oslo?',
    tools: { get_weather: weather },
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  });
  expect(await result.text).toContain('rain');
  expect(places).toHaveLength(1);
  expect(sim.journal.map(({ status }) => status)).toEqual([200, 200]);
});

test('errors are the documented ones', async () => {
  const wrong = generateText({ model: compatible(sim)('nope'), prompt: 'hi', maxRetries: 0 });
  await expect(wrong).rejects.toMatchObject({ statusCode: 404 });
  sim.control.fail({ kind: 'limited' });
  const limited = generateText({ model: compatible(sim)('model-c'), prompt: 'hi', maxRetries: 0 });
  await expect(limited).rejects.toMatchObject({ statusCode: 429, isRetryable: true });
});
