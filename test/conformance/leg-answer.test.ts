import { expect, test } from '@jest/globals';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import { pick, answerText, user } from '../simulators/upstream/test-client.ts';
import { data, reply, stream } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { errorBody } from './samples.ts';
import { ROOMY, service } from './service.ts';
import { work } from './turn.ts';

const { sim, legacy, legacyOutcomes, client, last } = service(ROOMY);

const TOOL = { name: 'get_weather', parameters: { type: 'object', properties: {} } };
const HELLO = { model: 'vendor-flash', messages: [{ role: 'user', content: 'hello' }] } as const;
const older = () => client({ shape: 'legacy' });

const CALL = { id: 'call_1', name: 'get_weather', parameters: { place: 'Oslo' } };
const assistantMessage = { role: 'assistant', content: null, tool_calls: [CALL] };
const answered = { role: 'tool', content: 'rain' };

test(row('LEG-027'), async () => {
  const history = (call: object) => ({
    messages: [user('Weather?'), { ...assistantMessage, tool_calls: [call] }, answered],
  });
  expect(await legacyOutcomes(history(CALL), history({ ...CALL, parameters: '{"place":"Oslo"}' }))).toEqual([
    '200',
    '422 messages.1.tool_calls.0',
  ]);
  const { json } = await legacy({ tools: [TOOL], tool_choice: 'tool' });
  expect(pick(json, 'choices', 0, 'message', 'tool_calls', 0)).toEqual({
    id: expect.stringMatching(/^call_/u),
    name: 'get_weather',
    parameters: {},
  });
  const { toolCalls } = await older().chat.complete({ ...HELLO, tools: [TOOL], toolChoice: 'required' });
  expect(toolCalls).toEqual([{ id: expect.any(String), name: 'get_weather', arguments: '{}' }]);
});

test(row('LEG-028'), async () => {
  const deep = { place: 'Osłó "x"', list: [1, 2.5, null, true], inner: { a: [] } };
  await withServer(
    (socket, _, count) =>
      reply(socket, 200, {
        id: 'c-1',
        model: 'vendor-flash',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: count === 1 ? [{ id: 'call_1', name: 'f', parameters: deep }] : [],
            },
            finish_reason: 'stop',
          },
        ],
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    async ({ upstream, server }) => {
      const { toolCalls } = await upstream.chat.complete(QUESTION);
      const [call] = toolCalls;
      expect(JSON.parse(call?.arguments ?? '')).toEqual(deep);
      const messages = [
        ...QUESTION.messages,
        { role: 'assistant', content: null, toolCalls },
        { role: 'tool', toolCallId: 'call_1', content: 'done' },
      ] as const;
      await upstream.chat.complete({ ...QUESTION, messages });
      expect(pick(server.requests[1]?.body, 'messages', 1, 'tool_calls')).toEqual([
        { id: 'call_1', name: 'f', parameters: deep },
      ]);
    },
    { shape: 'legacy' },
  );
});

test(row('LEG-029'), async () => {
  const messages = [user('Weather?'), assistantMessage];
  const without = await legacy({ messages: [...messages, answered] });
  const response = await legacy({ messages: [...messages, { ...answered, tool_call_id: 'call_1' }] });
  expect([answerText(without), answerText(response)]).toEqual([
    '`get_weather` says: rain',
    '`get_weather` says: rain',
  ]);
});

test(row('LEG-030'), async () => {
  const { status, json } = await legacy();
  expect(status).toBe(200);
  expect(json).toEqual({
    id: expect.any(String),
    model: 'vendor-flash',
    choices: expect.any(Array),
    usage: expect.any(Object),
  });
});

test(row('LEG-031'), async () => {
  expect(pick((await legacy()).json, 'choices', 0)).toEqual({
    index: 0,
    message: { role: 'assistant', content: expect.any(String) },
    finish_reason: 'stop',
  });
  const { text, finish } = await older().chat.complete(HELLO);
  expect([text === '', finish]).toEqual([false, 'stop']);
});

const LONG = [user('[[sim:tokens=3000]]')];

test(row('LEG-032'), async () => {
  const reason = async (patch: Record<string, unknown>): Promise<unknown> =>
    pick((await legacy(patch)).json, 'choices', 0, 'finish_reason');
  const reasons = [await reason({}), await reason({ messages: LONG, max_tokens: 5 })];
  sim().control.setModel('vendor-flash', { context: 100 });
  reasons.push(await reason({ messages: LONG }));
  expect(reasons).toEqual(['stop', 'length', 'context']);
  const { events } = await legacy({ stream: true });
  expect(pick(events[0], 'choices', 0, 'finish_reason')).toBeNull();
  expect((await older().chat.complete({ ...HELLO, maxTokens: 2 })).finish).toBe('length');
});

test(row('LEG-033'), async () => {
  sim().control.setModel('vendor-flash', { context: 100 });
  const { json } = await legacy({ messages: LONG, max_tokens: 2000 });
  expect(pick(json, 'choices', 0, 'finish_reason')).toBe('context');
  const within = await legacy({ messages: LONG, max_tokens: 20 });
  expect(pick(within.json, 'choices', 0, 'finish_reason')).toBe('length');
});

test(row('LEG-034'), async () => {
  sim().control.setModel('vendor-flash', { context: 100 });
  const request = { ...HELLO, messages: [{ role: 'user', content: '[[sim:tokens=3000]]' }] } as const;
  expect((await older().chat.complete(request)).finish).toBe('context');
  const ended = await runCompletion(
    [],
    work((options) => older().chat.stream(request, options)),
  );
  expect(pick(ended, 'outcome', 'finish')).toBe('context');
});

test(row('LEG-035'), async () => {
  const { json } = await legacy({ messages: [user('[[sim:say=a b c]]')] });
  expect(pick(json, 'usage')).toEqual({ input_tokens: expect.any(Number), output_tokens: 3 });
  const request = { ...HELLO, messages: [{ role: 'user', content: '[[sim:say=a b c]]' }] } as const;
  const { usage } = await older().chat.complete(request);
  expect(usage).toEqual({
    promptTokens: pick(json, 'usage', 'input_tokens'),
    completionTokens: 3,
    reasoningTokens: 0,
    cachedTokens: 0,
  });
});

test(row('LEG-036'), async () => {
  const { events } = await legacy({ stream: true, messages: [user('[[sim:say=a b c]]')] });
  for (const each of events) {
    expect(Object.keys(each).toSorted()).toEqual(['choices', 'id', 'model', 'usage']);
    expect(pick(each, 'choices', 0)).toHaveProperty('delta');
    expect(pick(each, 'usage', 'input_tokens')).toBeGreaterThan(0);
  }
  expect(events.length).toBeGreaterThan(3);
  const response = await readResponse(older().chat.stream(HELLO));
  expect(response.end).toMatchObject({ finish: 'stop', model: 'vendor-flash' });
  expect(response.end?.text).not.toBe('');
});

test(row('LEG-037'), async () => {
  const one = (content: string, output_tokens: number, finish_reason: string | null = null) =>
    data({
      id: 'c-1',
      model: 'vendor-flash',
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason }],
      usage: { input_tokens: 10, output_tokens },
    });
  await withServer(
    (socket) => stream(socket, [one('a', 1), one('b', 2), one('', 3, 'stop')]),
    async ({ upstream }) => {
      const { end } = await readResponse(upstream.chat.stream(QUESTION));
      expect(end).toMatchObject({ text: 'ab', usage: { promptTokens: 10, completionTokens: 3 } });
    },
    { shape: 'legacy' },
  );
});

const INVALID = { detail: [{ loc: ['body', 'stop'], msg: 'not a list', type: 'type_error.list' }] };

test(row('LEG-038'), async () => {
  const { status, json } = await legacy({ stop: 'x' });
  expect(status).toBe(422);
  expect(json).toEqual({
    detail: [{ loc: ['body', 'stop'], msg: expect.any(String), type: expect.any(String) }],
  });
  const request = { ...HELLO, extra: { top_n: 1 }, topK: 1.5 };
  await expect(older().chat.complete(request)).rejects.toMatchObject({
    kind: 'bad-request',
    status: 422,
    param: 'top_k',
  });
  expect(last().status).toBe(422);
});

test(row('LEG-039'), async () => {
  const answers = [
    [422, INVALID, { code: 'type_error.list', param: 'stop' }],
    [400, errorBody('validation_error', 'invalid_value', 'stop'), { code: 'invalid_value', param: 'stop' }],
  ] as const;
  for (const [status, body, facts] of answers) {
    await withServer(
      (socket) => reply(socket, status, body),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'bad-request', status, ...facts });
      },
      { shape: 'legacy' },
    );
  }
});

test(row('LEG-040'), async () => {
  await withServer(
    (socket) => reply(socket, 422, INVALID),
    async ({ upstream, server, time }) => {
      await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ status: 422 });
      expect([server.requests.length, time.waits]).toEqual([1, []]);
    },
    { shape: 'legacy' },
  );
});
