import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import * as z from 'zod';
import { startUpstreamSimulator, type UpstreamSimulator } from '../../simulators/upstream/index.ts';
import { openai } from './clients.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

const ask = (content: string) => ({ model: 'model-b', messages: [{ role: 'user' as const, content }] });

test('a raw stream has text, reasoning and usage', async () => {
  let text = '';
  let reasoning = '';
  let total = 0;
  const chunks = await openai(sim).chat.completions.create({ ...ask('My name is Ada.'), stream: true });
  for await (const chunk of chunks) {
    const delta = chunk.choices[0]?.delta;
    text += delta?.content ?? '';
    if (delta !== undefined && 'reasoning_content' in delta) reasoning += String(delta.reasoning_content);
    total = chunk.usage?.total_tokens ?? total;
  }
  expect(text).toBe('Nice to meet you, Ada! I will remember that.');
  expect(reasoning).not.toBe('');
  expect(total).toBeGreaterThan(10);
  expect(sim.journal.map(({ path, ended }) => [path, ended])).toEqual([['/v1/chat/completions', 'whole']]);
});

test('its stream helper returns the completion', async () => {
  const helped = await openai(sim).chat.completions.stream(ask('[[sim:tokens=40]]')).finalChatCompletion();
  expect(helped.choices[0]?.finish_reason).toBe('stop');
  expect(helped.usage?.completion_tokens).toBeGreaterThan(39);
});

test('a completion without streaming has its headers', async () => {
  const { data, response } = await openai(sim).chat.completions.create(ask('2 + 2?')).withResponse();
  expect(data.choices[0]?.message.content).toBe('2 + 2 = **4**');
  expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('29');
});

test('structured output is parsed, streamed or not', async () => {
  const Weather = z.object({ place: z.string(), degrees: z.int().min(-50).max(50), wet: z.boolean() });
  const request = { ...ask('Weather in Oslo?'), response_format: zodResponseFormat(Weather, 'weather') };
  const { choices } = await openai(sim).chat.completions.parse(request);
  expect(Weather.safeParse(choices[0]?.message.parsed).success).toBe(true);
  const streamed = await openai(sim).chat.completions.stream(request).finalChatCompletion();
  expect(Weather.safeParse(streamed.choices[0]?.message.parsed).success).toBe(true);
});

test('tools run until the answer is complete', async () => {
  const called: string[] = [];
  const tool = zodFunction({
    name: 'get_weather',
    parameters: z.object({ place: z.string() }),
    function: ({ place }) => {
      called.push(place);
      return 'rain';
    },
  });
  const runner = openai(sim).chat.completions.runTools({
    ...ask('What is the weather in Oslo?'),
    tools: [tool],
  });
  expect(await runner.finalContent()).toContain('rain');
  expect(called).toHaveLength(1);
});

test('a forced tool is accepted in its object form', async () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const { choices } = await openai(sim).chat.completions.create({
    ...ask('hello'),
    tools: [{ type: 'function', function: { name: 'add', parameters } }],
    tool_choice: { type: 'function', function: { name: 'add' } },
  });
  const [call] = choices[0]?.message.tool_calls ?? [];
  expect(call?.type === 'function' && call.function.name).toBe('add');
});

test('the list of models is read', async () => {
  const ids: string[] = [];
  for await (const { id } of openai(sim).models.list()) ids.push(id);
  expect(ids).toContain('vendor-flash-3');
  expect(ids).toHaveLength(8);
});

test('errors are the documented ones', async () => {
  const { completions } = openai(sim).chat;
  await expect(completions.create(ask('[[sim:limited retry=3]]'))).rejects.toMatchObject({
    status: 429,
    code: 'rate_limit_exceeded',
  });
  await expect(completions.create({ ...ask('hi'), model: 'vendor/model-b' })).rejects.toMatchObject({
    status: 404,
    param: 'model',
  });
  const other = openai({ ...sim, baseUrl: sim.baseUrl, apiKey: 'wrong' });
  await expect(other.models.list()).rejects.toMatchObject({ status: 401 });
});

test('a temporary fault is retried', async () => {
  const answer = await openai(sim, 1).chat.completions.create(ask('[[sim:error=503 times=1]] 1 + 1'));
  expect(answer.choices[0]?.message.content).toBe('1 + 1 = **2**');
  expect(sim.journal.map(({ status }) => status)).toEqual([503, 200]);
});

test('a cut stream is an error', async () => {
  const cut = openai(sim).chat.completions.stream(ask('[[sim:cut=3]] hello')).finalChatCompletion();
  await expect(cut).rejects.toThrow(/terminated|closed|error/iu);
});
