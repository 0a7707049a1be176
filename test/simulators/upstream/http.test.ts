import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { pick } from './test-client.ts';
import { startUpstreamSimulator } from './index.ts';
import type { UpstreamSimulator } from './index.ts';

// Third-party clients are tested in test/conformance/clients.

let sim: UpstreamSimulator;

beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

async function ask(content: string, more: object = {}, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${sim.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'model-b', messages: [{ role: 'user', content }], ...more }),
    signal,
  });
}

test('the server sends an answer as one body and as a stream', async () => {
  const whole = await ask('2 + 2?');
  expect(whole.headers.get('x-ratelimit-remaining-requests')).toBe('29');
  expect(pick(await whole.json(), 'choices', 0, 'message', 'content')).toBe('2 + 2 = **4**');
  const streamed = await ask('2 + 2?', { stream: true });
  expect(streamed.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect((await streamed.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  expect(sim.journal.map(({ path, ended }) => [path, ended])).toEqual([
    ['/v1/chat/completions', 'whole'],
    ['/v1/chat/completions', 'whole'],
  ]);
});

test('a stream can be cut, and a temporary fault ends', async () => {
  const cut = await ask('[[sim:cut=3]] hello', { stream: true });
  await expect(cut.text()).rejects.toThrow('terminated');
  const statuses: number[] = [];
  for (let n = 0; n < 2; n += 1) statuses.push((await ask('[[sim:error=503 times=1]] 1 + 1')).status);
  expect(statuses).toEqual([503, 200]);
  expect(sim.journal.map(({ ended }) => ended)).toEqual(['broken', 'whole', 'whole']);
});

test('a refused connection gets no response', async () => {
  sim.control.addFault({ fault: { kind: 'refuse' } });
  await expect(ask('hi')).rejects.toThrow('fetch failed');
  expect(sim.journal).toMatchObject([{ status: undefined, ended: 'broken', faults: ['refuse'] }]);
});

test('a silent stream ends when the client disconnects', async () => {
  const leaving = new AbortController();
  const { body } = await ask('[[sim:silence=2]] hello', { stream: true }, leaving.signal);
  const reader = body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  leaving.abort();
  await expect(reader?.read()).rejects.toThrow('aborted');
  while (sim.journal[0]?.ended === 'open') await new Promise((resolve) => setImmediate(resolve));
  expect(sim.journal[0]?.ended).toBe('gone');
});

test('the control interface accepts only requests from this machine, by its address', async () => {
  const post = async (path: string, body: unknown) =>
    fetch(`${sim.baseUrl}/__sim/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const set = await post('faults', { fault: { kind: 'capacity' }, times: 1 });
  expect(set.status).toBe(200);
  expect(pick(await (await ask('hi')).json(), 'error', 'code')).toBe('model_at_capacity');
  expect((await ask('hi')).status).toBe(200);
  expect((await post('faults', { fault: { kind: 'nonsense' } })).status).toBe(400);
  expect((await post('reset', {})).status).toBe(200);
  expect(sim.journal).toEqual([]);
});
