import { describe, expect, test } from '@jest/globals';
import { validateJson, parseToolArguments } from '../../shared/upstream/index.ts';
import { event, reply, stream } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from './raw-server-harness.ts';

const CALL = { id: 'call-1', name: 'weather', arguments: '{"place": "Ulm",  "days":1}' };
const TOOL = {
  name: 'weather',
  description: 'The weather',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

/** A completion without streaming. */
const answer = (content: string, finish = 'stop'): object => ({
  id: 'x',
  model: 'model-a',
  choices: [{ index: 0, message: { content }, finish_reason: finish }],
});

/** A chunk with a fragment of a tool call. */
const fragment = (more: object): string => event({ tool_calls: [{ index: 0, ...more }] });

const fits = (text: string) => validateJson(text, { type: 'object' }).ok;

describe('arguments of a tool call', () => {
  test('are parsed and validated', () => {
    expect(parseToolArguments(CALL, TOOL.parameters)).toEqual({ ok: true, value: { place: 'Ulm', days: 1 } });
  });

  test.each([
    ['{"place":', ['/: is not JSON']],
    ['{"place":7}', [expect.stringMatching(/^\/place: .*string/u)]],
    ['{}', [expect.stringMatching(/^\/: .*place/u)]],
  ])('%s are rejected with errors that the model can read', (text, errors) => {
    expect(parseToolArguments({ ...CALL, arguments: text }, TOOL.parameters)).toEqual({
      ok: false,
      errors,
    });
  });

  test('are parsed out of a code fence, and a text of blank lines fails fast', () => {
    expect(fits('```json\n{"place":"Ulm"}\n```')).toBe(true);
    expect(fits('\n```\n{"place":"Ulm"}```\n')).toBe(true);
    expect(fits('```')).toBe(false);
    // With all combinations, it would take longer than a test may.
    expect(fits(`\`\`\`${'\n'.repeat(2_000)}x`)).toBe(false);
  });
});

describe('a completion without streaming', () => {
  test('is parsed completely', async () => {
    const message = {
      role: 'assistant',
      content: null,
      reasoning_content: null,
      reasoning: 'Hm.',
      tool_calls: [
        { id: 'call-1', type: 'function', function: { name: 'weather', arguments: CALL.arguments } },
      ],
    };
    const logprobs = { content: [{ token: 'a', logprob: -1, top_logprobs: [] }] };
    const body = {
      id: 'x-1',
      object: 'chat.completion',
      created: 1,
      model: 'model-a',
      choices: [{ index: 0, message, finish_reason: 'stop', logprobs, matched_stop: 7 }],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        reasoning_tokens: 1,
        prompt_tokens_details: null,
      },
      metadata: { weight_version: 'w-3' },
    };
    await withServer(
      (socket) => reply(socket, 200, body, { 'x-request-id': 'r-1' }),
      async ({ upstream, time }) => {
        expect(await upstream.chat.complete(QUESTION)).toEqual({
          text: '',
          reasoning: 'Hm.',
          origin: { model: 'model-a', reasoning: 'Hm.' },
          finish: 'stop',
          toolCalls: [CALL],
          usage: { promptTokens: 3, completionTokens: 2, reasoningTokens: 1, cachedTokens: 0 },
          id: 'x-1',
          requestId: 'r-1',
          model: 'model-a',
          weightVersion: 'w-3',
          matchedStop: 7,
          logprobs: [{ token: 'a', logprob: -1, top: [] }],
          omitted: [],
          streamed: false,
        });
        expect(time.pending).toBe(0);
      },
    );
  });

  test.each([[undefined], ['']])('has two whole calls of a tool, also if their ids are %j', async (id) => {
    const call = (text: string): object => ({ id, function: { name: 'weather', arguments: text } });
    const message = { content: null, tool_calls: [call('{"days":1}'), call('{"days":2}')] };
    await withServer(
      (socket) => reply(socket, 200, { choices: [{ message, finish_reason: 'tool_calls' }] }),
      async ({ upstream }) =>
        expect((await upstream.chat.complete(QUESTION)).toolCalls).toEqual([
          { id: 'call_0', name: 'weather', arguments: '{"days":1}' },
          { id: 'call_1', name: 'weather', arguments: '{"days":2}' },
        ]),
    );
  });

  test.each([
    ['no JSON', 'Hello', {}, { kind: 'malformed', code: 'bad_json' }],
    ['no choice', { choices: [] }, {}, { kind: 'malformed', code: 'empty_answer' }],
    [
      'an error with status 200',
      { error: { message: 'x', code: '400' } },
      {},
      { kind: 'bad-request', code: '400' },
    ],
    ['a compressed body', 'x', { 'content-encoding': 'gzip' }, { kind: 'malformed', code: 'compressed' }],
    ['a body that breaks off', 'x', { 'content-length': '100' }, { kind: 'cut' }],
  ])('that is %s is an error and is not requested again', async (_, body, headers, expected) => {
    await withServer(
      (socket) => {
        reply(socket, 200, body, headers);
        socket.end();
      },
      async ({ upstream, server }) => {
        const error = await upstream.chat.complete(QUESTION).catch((reason: unknown) => reason);
        expect(asUpstreamError(error)).toMatchObject(expected);
        expect(server.requests).toHaveLength(1);
      },
    );
  });
});

describe('a structured answer', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, people: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  };
  const ask = { ...QUESTION, name: 'city', schema };

  test.each(['{"city":"Ulm","people":1}', '```json\n{"city":"Ulm","people":1}\n```'])(
    'is validated: %s',
    async (content) => {
      await withServer(
        (socket) => reply(socket, 200, answer(content)),
        async ({ upstream, server }) => {
          const { value, completions } = await upstream.chat.structured(ask);
          expect(value).toEqual({ city: 'Ulm', people: 1 });
          expect(completions).toHaveLength(1);
          expect(server.requests[0]?.body['response_format']).toEqual({
            type: 'json_schema',
            json_schema: { name: 'city', schema, strict: true },
          });
        },
      );
    },
  );

  test('that does not fit is repaired once', async () => {
    await withServer(
      (socket, _, count) => reply(socket, 200, answer(count === 1 ? '{"city":7}' : '{"city":"Ulm"}')),
      async ({ upstream, server }) => {
        const { value, completions } = await upstream.chat.structured(ask);
        expect(value).toEqual({ city: 'Ulm' });
        expect(completions).toHaveLength(2);
        expect(server.requests[1]?.body['messages']).toEqual([
          ...QUESTION.messages,
          { role: 'assistant', content: '{"city":7}' },
          { role: 'user', content: expect.stringContaining('/city') },
        ]);
      },
    );
  });

  test.each([
    ['that never fits', 'no idea', 'stop', 'schema', 2],
    ['that was cut', '{"city":"U', 'length', 'length', 1],
  ])('%s is an error', async (_, content, finish, code, requests) => {
    await withServer(
      (socket) => reply(socket, 200, answer(content, finish)),
      async ({ upstream, server }) => {
        const billed: string[] = [];
        const onCompletion = ({ text }: { readonly text: string }) => void billed.push(text);
        const error = await upstream.chat
          .structured(ask, { onCompletion })
          .catch((reason: unknown) => reason);
        expect(asUpstreamError(error)).toMatchObject({ kind: 'malformed', code, partialText: content });
        expect(server.requests).toHaveLength(requests);
        expect(billed).toEqual(server.requests.map(() => content));
      },
    );
  });
});

test('a stream with tool calls has tool calls whatever its finish_reason says', async () => {
  await withServer(
    (socket) =>
      stream(socket, [
        fragment({ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '' } }),
        fragment({ function: { arguments: '{"place": "Ulm", ' } }),
        fragment({ function: { arguments: ' "days":1}' } }),
        event({}, 'stop'),
      ]),
    async ({ upstream }) => {
      const response = await readResponse(upstream.chat.stream({ ...QUESTION, tools: [TOOL] }));
      expect(response.end).toMatchObject({ toolCalls: [CALL], finish: 'stop', text: '' });
    },
  );
});
