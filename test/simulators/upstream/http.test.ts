import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { startUpstreamSimulator } from './index.ts';
import type { UpstreamSimulator } from './index.ts';

let sim: UpstreamSimulator;
let client: OpenAI;

beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
  client = new OpenAI({ baseURL: `${sim.baseUrl}/v1`, apiKey: sim.apiKey, maxRetries: 0, logLevel: 'off' });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

const ask = (content: string) => ({ model: 'model-b', messages: [{ role: 'user' as const, content }] });

test('the openai client reads a stream, its usage and its reasoning', async () => {
  let text = '';
  let reasoning = '';
  let total = 0;
  for await (const chunk of await client.chat.completions.create({
    ...ask('My name is Ada.'),
    stream: true,
  })) {
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

test('its helper, its list of models and its whole answers work too', async () => {
  const helped = await client.chat.completions.stream(ask('[[sim:tokens=40]]')).finalChatCompletion();
  expect(helped.choices[0]?.finish_reason).toBe('stop');
  const { data, response } = await client.chat.completions.create(ask('2 + 2?')).withResponse();
  expect(data.choices[0]?.message.content).toBe('2 + 2 = **4**');
  expect(response.headers.get('x-ratelimit-remaining-requests')).toMatch(/^(?:28|29)$/u);
  const ids = (await client.models.list()).data.map(({ id }) => id);
  expect(ids).toContain('vendor-flash-3');
});

test('errors are the documented ones', async () => {
  const limited = { status: 429, code: 'rate_limit_exceeded' };
  await expect(client.chat.completions.create(ask('[[sim:limited retry=3]]'))).rejects.toMatchObject(limited);
  const unknown = client.chat.completions.create({ ...ask('hi'), model: 'vendor/model-b' });
  await expect(unknown).rejects.toMatchObject({ status: 404, param: 'model' });
  const other = new OpenAI({ baseURL: `${sim.baseUrl}/v1`, apiKey: 'wrong', maxRetries: 0, logLevel: 'off' });
  await expect(other.models.list()).rejects.toMatchObject({ status: 401 });
});

test('a stream can be cut, and a retry after a passing fault succeeds', async () => {
  const cut = client.chat.completions.stream(ask('[[sim:cut=3]] hello')).finalChatCompletion();
  await expect(cut).rejects.toThrow(/terminated|closed|error/iu);
  const patient = new OpenAI({
    baseURL: `${sim.baseUrl}/v1`,
    apiKey: sim.apiKey,
    maxRetries: 1,
    logLevel: 'off',
  });
  const answer = await patient.chat.completions.create(ask('[[sim:error=503 times=1]] 1 + 1'));
  expect(answer.choices[0]?.message.content).toBe('1 + 1 = **2**');
  expect(sim.journal.map(({ ended }) => ended)).toEqual(['broken', 'whole', 'whole']);
});

test('nothing comes back where the connection is refused, however often', async () => {
  sim.control.addFault({ fault: { kind: 'refuse' } });
  await expect(client.chat.completions.create(ask('hi'))).rejects.toMatchObject({
    name: 'Error',
    status: undefined,
  });
  expect(sim.journal).toMatchObject([{ status: undefined, ended: 'broken', faults: ['refuse'] }]);
});

test('a silent stream ends when the client leaves', async () => {
  const leaving = new AbortController();
  const stream = await client.chat.completions.create(
    { ...ask('[[sim:silence=2]] hello'), stream: true },
    { signal: leaving.signal },
  );
  let seen = 0;
  try {
    for await (const _chunk of stream) if ((seen += 1) === 2) leaving.abort();
  } catch {
    // Leaving is what was asked for.
  }
  expect(seen).toBe(2);
});

test('the control interface answers this machine, by its address', async () => {
  const post = async (path: string, body: unknown, host?: string) =>
    fetch(`${sim.baseUrl}/__sim/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: host === undefined ? {} : { host },
    });
  const set = await post('faults', { fault: { kind: 'capacity' }, times: 1 });
  expect(set.status).toBe(200);
  await expect(client.chat.completions.create(ask('hi'))).rejects.toMatchObject({
    code: 'model_at_capacity',
  });
  expect((await client.chat.completions.create(ask('hi'))).choices).toHaveLength(1);
  expect((await post('faults', { fault: { kind: 'nonsense' } })).status).toBe(400);
  expect((await post('reset', {})).status).toBe(200);
  expect(sim.journal).toEqual([]);
});
