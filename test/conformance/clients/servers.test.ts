import { once } from 'node:events';
import { createServer } from 'node:http';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { createLlmMockRouter, define } from 'llm-mock';
import { createUpstream, type ChatRequest, type Upstream } from '../../../shared/upstream/index.ts';
import { readResponse, textOf } from '../../upstream/raw-server-harness.ts';
import { TestTime } from '../../upstream/time.ts';

/** The project's client against third-party servers. */

function clientOf(baseUrl: string): { upstream: Upstream; time: TestTime } {
  const time = new TestTime();
  const apiKey = () => Promise.resolve('sk-test');
  return { upstream: createUpstream({ baseUrl, apiKey, time, random: () => 0.5 }), time };
}

const ask = (content: string): ChatRequest => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] });

describe('aimock', () => {
  const mock = new LLMock({ port: 0 });
  let upstream: Upstream;
  let time: TestTime;
  beforeAll(async () => {
    mock.onMessage('plain', { content: 'Grüße 👋 out there' }, { chunkSize: 3 });
    mock.onMessage('think', { content: 'Yes.', reasoning: 'Let me think.' });
    mock.onMessage('weather', {
      toolCalls: [
        { name: 'get_weather', arguments: '{"place":"Oslo"}' },
        { name: 'get_weather', arguments: '{"place":"Rome"}' },
      ],
    });
    mock.onMessage('json', { content: '{"place":"Oslo"}' });
    mock.onMessage(
      'cut',
      { content: 'one two three four five' },
      { chunkSize: 4, latency: 20, truncateAfterChunks: 4 },
    );
    mock.onMessage('gone', { content: 'x' }, { chaos: { disconnectRate: 1 } });
    mock.onMessage('malformed', { content: 'x' }, { chaos: { malformedRate: 1 } });
    mock.onMessage('dropped', { content: 'x' }, { chaos: { dropRate: 1 } });
    mock.onMessage('limited', { content: 'x' }, { chaos: { rateLimitRate: 1 } });
    ({ upstream, time } = clientOf(await mock.start()));
  });
  afterAll(async () => {
    await upstream.close();
    await mock.stop();
  });
  const count = (): number => mock.getRequests().length;

  test('sends a stream and a completion without streaming', async () => {
    const seen = await readResponse(upstream.chat.stream(ask('plain')));
    expect(textOf(seen)).toBe('Grüße 👋 out there');
    expect(seen.end).toMatchObject({
      text: 'Grüße 👋 out there',
      finish: 'stop',
      model: 'gpt-4o',
      streamed: true,
    });
    expect(seen.end?.usage?.completionTokens).toBeGreaterThan(0);
    expect(seen.end?.requestId).toMatch(/^req-/u);
    const whole = await upstream.chat.complete(ask('plain'));
    expect(whole).toMatchObject({ text: 'Grüße 👋 out there', finish: 'stop', streamed: false });
  });

  test('sends reasoning, which comes before the role', async () => {
    const { end } = await readResponse(upstream.chat.stream(ask('think')));
    expect(end).toMatchObject({ text: 'Yes.', reasoning: 'Let me think.' });
  });

  test('sends parallel tool calls, streamed or not', async () => {
    const request = { ...ask('weather'), tools: [{ name: 'get_weather' }] };
    const calls = ['Oslo', 'Rome'].map((place) => ({
      id: expect.stringMatching(/\S/u),
      name: 'get_weather',
      arguments: JSON.stringify({ place }),
    }));
    const { end } = await readResponse(upstream.chat.stream(request));
    expect(end).toMatchObject({ finish: 'tool_calls', toolCalls: calls });
    expect((await upstream.chat.complete(request)).toolCalls).toEqual(calls);
  });

  test('sends structured output', async () => {
    const schema = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
    const { value } = await upstream.chat.structured({ ...ask('json'), name: 'where', schema });
    expect(value).toEqual({ place: 'Oslo' });
  });

  test('lists its models', async () => {
    const { models } = await upstream.models.list();
    expect(models.map(({ id }) => id)).toContain('gpt-4o');
  });

  test('cuts a stream: the client reports it with the text so far', async () => {
    const { end, error } = await readResponse(upstream.chat.stream(ask('cut')));
    expect(end).toBeUndefined();
    expect(error).toMatchObject({ kind: 'cut' });
    expect('one two three four five'.startsWith(Reflect.get(Object(error), 'partialText') || '?')).toBe(true);
  });

  test('closes a connection: the client retries, then reports it', async () => {
    const before = count();
    await expect(upstream.chat.complete(ask('gone'))).rejects.toMatchObject({ kind: 'connection' });
    expect(count() - before).toBe(3);
  });

  test('sends malformed JSON: the client reports it, streamed or not', async () => {
    const { error } = await readResponse(upstream.chat.stream(ask('malformed')));
    expect(error).toMatchObject({ kind: 'malformed' });
    await expect(upstream.chat.complete(ask('malformed'))).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('sends a server error: the client retries, then reports its id', async () => {
    const before = count();
    const { error } = await readResponse(upstream.chat.stream(ask('dropped')));
    expect(error).toMatchObject({ kind: 'server', status: 500, requestId: expect.stringMatching(/^req-/u) });
    expect(count() - before).toBe(3);
  });

  test('sends a rate limit: the client waits, then reports it', async () => {
    const before = time.waits.length;
    const { error } = await readResponse(upstream.chat.stream(ask('limited')));
    expect(error).toMatchObject({ kind: 'rate-limited', status: 429, retryAfterMs: 1_000 });
    expect(time.waits.slice(before).every((ms) => ms >= 1_000)).toBe(true);
    expect(time.waits.length - before).toBe(2);
  });

  test('rejects an unknown field: the client reports an error of the request', async () => {
    const { error } = await readResponse(upstream.chat.stream(ask('nothing of the kind')));
    expect(error).toMatchObject({ status: 404, code: 'no_fixture_match' });
  });
});

describe('llm-mock', () => {
  const talk = {
    id: 'talk',
    start: 'open',
    steps: {
      open: {
        branches: [{ when: 'explain tides simply', kind: 'chat', reply: 'It is simple.', next: 'open' }],
      },
    },
  };
  const config = define({ env: 'local', useScenario: 'talk', scenarios: [talk], matching: {}, server: {} });
  const app = express();
  const server = createServer(app);
  let upstream: Upstream;
  beforeAll(async () => {
    app.use(await createLlmMockRouter(config));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    ({ upstream } = clientOf(`http://127.0.0.1:${port}`));
  });
  afterAll(async () => {
    await upstream.close();
    server.closeAllConnections();
    server.close();
  });

  test('sends one JSON body for a stream: the client accepts and reports it', async () => {
    const seen = await readResponse(upstream.chat.stream(ask('explain tides simply')));
    expect(seen.error).toBeUndefined();
    expect(textOf(seen)).toBe('It is simple.');
    expect(seen.end).toMatchObject({ text: 'It is simple.', streamed: false });
    expect((await upstream.chat.complete(ask('explain tides simply'))).text).toBe('It is simple.');
  });
});
