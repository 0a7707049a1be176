import { describe, expect, test } from '@jest/globals';
import { createUpstream, type Completion, type Message, type Upstream } from '../../shared/upstream/index.ts';
import { asArray, asObject } from '../../shared/upstream/http/json.ts';
import { startUpstreamSimulator } from '../simulators/upstream/index.ts';
import { DONE, event, reply, stream } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from './raw-server-harness.ts';
import { TestTime } from './time.ts';

const TOOLS = [{ name: 'get_weather', parameters: { type: 'object', properties: {} } }];

/** The messages after the calls of a completion, with their results. */
const withResults = (messages: readonly Message[], { text, toolCalls, origin }: Completion): Message[] => [
  ...messages,
  { role: 'assistant', content: text, toolCalls, origin },
  ...toolCalls.map(({ id }): Message => ({ role: 'tool', toolCallId: id, content: 'Rain.' })),
];

const QUESTIONS: readonly Message[] = [{ role: 'user', content: 'What is the weather in Oslo?' }];

async function withSimulator(
  sentBack: 'nothing' | 'extra_content' | 'reasoning_content',
  use: (upstream: Upstream, sim: Awaited<ReturnType<typeof startUpstreamSimulator>>) => Promise<void>,
): Promise<void> {
  const sim = await startUpstreamSimulator({ paceMs: 0 });
  const { lenient } = sim.control.settings();
  sim.control.change({ lenient: { ...lenient, sentBack } });
  const upstream = createUpstream({
    baseUrl: sim.baseUrl,
    apiKey: async () => sim.apiKey,
    time: new TestTime(),
    random: () => 0,
    fitToModel: true,
  });
  try {
    await use(upstream, sim);
  } finally {
    await upstream.close();
    await sim.close();
  }
}

/** Asks, runs the tool, and asks again: with another model, if one is named. Returns the last completion. */
async function useTool(upstream: Upstream, model: string, next = model): Promise<Completion | undefined> {
  const first = (await readResponse(upstream.chat.stream({ model, messages: QUESTIONS, tools: TOOLS }))).end;
  expect(first?.toolCalls).toHaveLength(1);
  if (first === undefined) throw new Error('no calls');
  const second = await readResponse(
    upstream.chat.stream({ model: next, messages: withResults(QUESTIONS, first), tools: TOOLS }),
  );
  if (second.error !== undefined) throw second.error;
  return second.end;
}

/** Uses a tool twice; returns of each request whether it had reasoning. */
async function sent(sentBack: 'nothing' | 'reasoning_content'): Promise<boolean[]> {
  let has: boolean[] = [];
  await withSimulator(sentBack, async (upstream, sim) => {
    for (let time = 0; time < 2; time += 1) expect((await useTool(upstream, 'model-b'))?.finish).toBe('stop');
    has = sim.control
      .journal()
      .filter(({ path }) => path === '/v1/chat/completions')
      .map(({ body }) => JSON.stringify(body).includes('reasoning_content'));
  });
  return has;
}

/** A part of the reasoning at OpenRouter. */
const part = (text: string, signature: string | null) => ({
  type: 'reasoning.text',
  index: 0,
  text,
  signature,
});

describe('what a server sent with the calls of a model', () => {
  test.each(['fragments', 'whole', 'no-index', 'nulls', 'object'] as const)(
    'goes back to it with their results: the signed thought of Gemini, of calls sent as %s',
    async (tools) => {
      await withSimulator('extra_content', async (upstream, sim) => {
        sim.control.change({ shape: { tools } });
        expect((await useTool(upstream, 'model-a'))?.finish).toBe('stop');
      });
    },
  );

  test('does not go to another model', async () => {
    await withSimulator('extra_content', async (upstream) => {
      const failure = await useTool(upstream, 'model-a', 'model-b').catch((error: unknown) => error);
      expect(asUpstreamError(failure)).toMatchObject({ kind: 'bad-request' });
    });
  });

  test('includes the reasoning only where the server demands it, which is then known', async () => {
    // Of two answers of two requests each, only the first one is rejected once.
    expect(await sent('reasoning_content')).toEqual([false, false, true, false, true]);
    expect(await sent('nothing')).toEqual([false, false, false, false]);
  });

  test('includes the details of the reasoning of OpenRouter, their parts joined', async () => {
    const encrypted = { type: 'reasoning.encrypted', index: 1, data: 'c2lnbmVk' };
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
    await withServer(
      (socket, _, count) =>
        count === 1
          ? stream(socket, [
              event({ reasoning: 'Hm', reasoning_details: [part('Hm', null)] }),
              event({ reasoning: ', rain?', reasoning_details: [part(', rain?', 's')] }),
              event({ tool_calls: [call], reasoning_details: [encrypted] }),
              event({}, 'tool_calls'),
              DONE,
            ])
          : stream(socket, [event({ content: 'Rain.' }), event({}, 'stop'), DONE]),
      async ({ upstream, server }) => {
        expect((await useTool(upstream, 'model-a'))?.text).toBe('Rain.');
        const message = asObject(asArray(server.requests[1]?.body['messages'])[1]);
        expect(message).toMatchObject({ reasoning_details: [part('Hm, rain?', 's'), encrypted] });
        expect(message).not.toHaveProperty('reasoning_content');
      },
    );
  });

  test('is no reason to repeat a request that has none', async () => {
    await withServer(
      (socket) => reply(socket, 400, { error: { message: 'reasoning_content is missing' } }),
      async ({ upstream, server }) => {
        await readResponse(upstream.chat.stream({ ...QUESTION }));
        expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      },
      { fitToModel: true },
    );
  });

  test.each([
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    'Missing `reasoning_content` field in the assistant message at message index 1.',
  ])('is demanded in other words: %s', async (message) => {
    const call = { id: 'a', name: 'f', arguments: '{}' };
    const origin = { model: 'model-a', reasoning: 'Hm.' };
    await withServer(
      (socket, { method, body }) => {
        if (method === 'GET') reply(socket, 404, {});
        else if (JSON.stringify(body).includes('"reasoning_content":"Hm."'))
          stream(socket, [event({ content: 'Rain.' }), event({}, 'stop'), DONE]);
        else reply(socket, 400, { error: { message, type: 'invalid_request_error', param: null } });
      },
      async ({ upstream }) => {
        const messages: Message[] = [
          ...QUESTIONS,
          { role: 'assistant', content: null, toolCalls: [call], origin },
          { role: 'tool', toolCallId: 'a', content: 'Rain.' },
        ];
        const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, messages }));
        expect(end?.text).toBe('Rain.');
      },
      { fitToModel: true },
    );
  });
});
