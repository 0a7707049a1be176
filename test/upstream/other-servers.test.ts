import { describe, expect, test } from '@jest/globals';
import { data, DONE, event, reply, stream } from './raw-server.ts';
import { asUpstreamError, QUESTION, readResponse, textOf, withServer } from './raw-server-harness.ts';

// What servers of the format send, each in its own form. Reported by their users; the words are ours.

const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const COUNTS = { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 };
const choice = (value: object, more: object = {}) => data({ choices: [value], ...more });
const thought = (text: string) =>
  event({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });

describe('an answer is read as', () => {
  test.each<[string, readonly string[]]>([
    [
      'Azure OpenAI sends it: first the filter’s results, then chunks with and without deltas',
      [
        data({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
        choice({ index: 0, delta: { content: 'All is well.' }, content_filter_results: {} }),
        choice({ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 } }),
        choice({ index: 0, delta: {}, finish_reason: 'stop' }),
        data({ choices: [], usage: COUNTS }),
        DONE,
      ],
    ],
    [
      'OpenRouter sends it: comments, and the usage with a choice',
      [
        ': OPENROUTER PROCESSING\n\n',
        choice({ index: 0, delta: { role: 'assistant', content: 'All is well.' } }, { provider: 'P' }),
        choice({ delta: { content: '' }, finish_reason: 'stop', native_finish_reason: 'STOP' }),
        choice({ delta: { content: '' }, finish_reason: null }, { usage: { ...COUNTS, cost: 0.1 } }),
        DONE,
      ],
    ],
    [
      'gateways send it that put the comments of others into data',
      ['data: : OPENROUTER PROCESSING\n\n', TEXT, 'data: : keepalive\n\n', STOP, data({ usage: COUNTS })],
    ],
    [
      'gateways send it that have an event of their own to keep the connection',
      [
        'event: ping\ndata: 2026-11-28 12:00:00\n\n',
        TEXT,
        'event: ping\ndata: {"type":"ping"}\n\n',
        STOP,
        data({ usage: COUNTS }),
      ],
    ],
    [
      'Groq sends it: the usage in a field of its own',
      [TEXT, event({}, 'stop', { x_groq: { id: 'r', usage: COUNTS } })],
    ],
    [
      'Moonshot sends it: the usage in the choice',
      [TEXT, choice({ index: 0, delta: {}, finish_reason: 'stop', usage: COUNTS }), DONE],
    ],
    [
      'Perplexity sends it: the whole text so far beside each delta',
      [
        choice({ index: 0, delta: { content: 'All is' }, message: { content: 'All is' } }),
        choice({ index: 0, delta: { content: ' well.' }, message: { content: 'All is well.' } }),
        choice(
          { index: 0, delta: { content: '' }, message: { content: 'All is well.' }, finish_reason: 'stop' },
          { usage: COUNTS },
        ),
      ],
    ],
    [
      'vLLM sends it: the usage so far in each chunk',
      [
        event({ role: 'assistant', content: '' }, null, {
          usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 },
        }),
        event({ content: 'All is well.' }, null, {
          usage: { prompt_tokens: 20, completion_tokens: 6, total_tokens: 26 },
        }),
        event({}, 'stop', { usage: COUNTS }),
        DONE,
      ],
    ],
  ])('%s', async (_, pieces) => {
    await withServer(
      (socket) => stream(socket, pieces),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.error).toBeUndefined();
        expect(textOf(response)).toBe('All is well.');
        expect(response.end).toMatchObject({
          finish: 'stop',
          usage: { promptTokens: 20, completionTokens: 7, reasoningTokens: 0 },
        });
      },
    );
  });

  test('Mistral sends it: thoughts and text as parts', async () => {
    await withServer(
      (socket) =>
        stream(socket, [
          thought('Let me '),
          thought('see.'),
          event({ content: [{ type: 'text', text: 'Yes.' }] }),
          STOP,
        ]),
      async ({ upstream }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect([textOf(response, 'reasoning'), textOf(response)]).toEqual(['Let me see.', 'Yes.']);
      },
    );
  });

  test.each([
    [
      'Grok: reasoning beside the completion',
      { ...COUNTS, total_tokens: 387, completion_tokens_details: { reasoning_tokens: 360 } },
      367,
      360,
    ],
    ['Gemini: reasoning in the total only', { ...COUNTS, total_tokens: 127 }, 107, 100],
    [
      'OpenAI: reasoning within the completion',
      { ...COUNTS, completion_tokens_details: { reasoning_tokens: 5 } },
      7,
      5,
    ],
  ])('it is charged by %s', async (_, usage, completionTokens, reasoningTokens) => {
    await withServer(
      (socket) => stream(socket, [TEXT, event({}, 'stop', { usage })]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.usage).toMatchObject({ promptTokens: 20, completionTokens, reasoningTokens });
      },
    );
  });

  test.each([
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['eos', 'eos'],
  ])('one that ended with %s', async (word, finish) => {
    await withServer(
      (socket) => stream(socket, [TEXT, event({}, word)]),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.finish).toBe(finish),
    );
  });

  test.each(['abort', 'insufficient_system_resource', 'network_error'])(
    'incomplete if it ended with %s',
    async (word) => {
      await withServer(
        (socket) => stream(socket, [TEXT, event({}, word), DONE]),
        async ({ upstream }) => {
          const { error } = await readResponse(upstream.chat.stream(QUESTION));
          expect(asUpstreamError(error)).toMatchObject({
            kind: 'server',
            code: 'finish_error',
            partialText: 'All is well.',
          });
        },
      );
    },
  );

  test('a call of a tool whose id differs in each fragment', async () => {
    const fragment = (id: string, call: object) => event({ tool_calls: [{ index: 0, id, function: call }] });
    await withServer(
      (socket) =>
        stream(socket, [
          fragment('a', { name: 'f', arguments: '' }),
          fragment('b', { arguments: '{"x"' }),
          fragment('c', { name: '', arguments: ':1}' }),
          event({}, 'tool_calls'),
        ]),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end?.toolCalls).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
      },
    );
  });
});

describe('an error in the stream is read', () => {
  const long = {
    code: 400,
    message: 'the request exceeds the available context size',
    type: 'exceed_context_size_error',
  };
  test.each<[string, readonly string[], object]>([
    [
      'from a line of llama.cpp',
      [`error: ${JSON.stringify(long)}\n\n`, DONE],
      { kind: 'bad-request', code: 'context_length_exceeded' },
    ],
    [
      'from a body between the events',
      [`${JSON.stringify({ error: long })}\n\n`],
      { kind: 'bad-request', code: 'context_length_exceeded' },
    ],
    [
      'from a list',
      [data([{ error: { code: 400, message: 'No', status: 'INVALID_ARGUMENT' } }])],
      { kind: 'bad-request', code: '400' },
    ],
    [
      'from a chunk of OpenRouter',
      [
        choice(
          { index: 0, delta: { content: '' }, finish_reason: 'error' },
          { error: { code: 502, message: 'x' } },
        ),
      ],
      { kind: 'server', code: '502' },
    ],
    [
      'from an event of Anthropic',
      ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n'],
      { kind: 'server' },
    ],
  ])('%s', async (_, pieces, expected) => {
    await withServer(
      (socket) => stream(socket, [TEXT, ...pieces]),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ ...expected, partialText: 'All is well.' });
      },
    );
  });

  test('and other lines between the events are passed over', async () => {
    await withServer(
      (socket) => stream(socket, [TEXT, '{"note":1}\n\n', 'warning: slow\n\n', STOP]),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('All is well.'),
    );
  });
});

describe('an error response is read', () => {
  const quota = {
    code: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    status: 'RESOURCE_EXHAUSTED',
  };
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '90.5s' };
  test.each<[string, number, unknown, object, object]>([
    [
      'of Gemini: a limit per minute that calls itself a quota',
      429,
      [{ error: { ...quota, details: [{ links: [] }, retry] } }],
      {},
      { kind: 'rate-limited', retryAfterMs: 90_500 },
    ],
    ['of Gemini: a quota', 429, [{ error: quota }], {}, { kind: 'quota' }],
    [
      'of Gemini: an unknown model',
      404,
      [{ error: { code: 404, message: 'models/x is not found', status: 'NOT_FOUND' } }],
      {},
      { kind: 'unknown-model' },
    ],
    [
      'of a proxy: a wait until a date',
      429,
      'Too many requests',
      { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' },
      { kind: 'rate-limited' },
    ],
    [
      'of Cloudflare',
      400,
      { success: false, result: {}, errors: [{ code: 5007, message: 'No such model' }] },
      {},
      { kind: 'bad-request', code: '5007' },
    ],
    [
      'of Anthropic',
      404,
      { type: 'error', error: { type: 'not_found_error', message: 'model: x' } },
      {},
      { kind: 'unknown-model' },
    ],
    [
      'of Mistral',
      422,
      {
        object: 'error',
        message: { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] },
      },
      {},
      { kind: 'bad-request', param: 'messages' },
    ],
  ])('%s', async (_, status, body, headers, expected) => {
    await withServer(
      (socket) => reply(socket, status, body, { ...headers }),
      async ({ upstream, server }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject(expected);
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('its wait is reported with the limits of the key', async () => {
    const limits: unknown[] = [];
    await withServer(
      (socket) => reply(socket, 429, [{ error: { ...quota, details: [retry] } }]),
      async ({ upstream }) => {
        await readResponse(upstream.chat.stream(QUESTION, { onRateLimit: (info) => limits.push(info) }));
        expect(limits).toEqual([expect.objectContaining({ status: 429, retryAfterMs: 90_500 })]);
      },
    );
  });
});

describe('a field that every request has, and a server rejects, is', () => {
  test.each<[string, string, number, unknown, object]>([
    [
      'renamed for OpenAI',
      'max_tokens',
      400,
      {
        error: {
          message: "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          param: 'max_tokens',
          code: 'unsupported_parameter',
        },
      },
      { max_completion_tokens: 4_096 },
    ],
    [
      'left out for Mistral',
      'stream_options',
      422,
      {
        object: 'error',
        message: {
          detail: [
            {
              type: 'extra_forbidden',
              loc: ['body', 'stream_options', 'include_usage'],
              msg: 'Extra inputs are not permitted',
            },
          ],
        },
      },
      { max_tokens: 4_096 },
    ],
    [
      'left out for Azure OpenAI',
      'stream_options',
      400,
      {
        error: { message: 'Unrecognized request argument supplied: stream_options', param: null, code: null },
      },
      { max_tokens: 4_096 },
    ],
  ])('%s, and not sent again for an hour', async (_, field, status, rejection, expected) => {
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 404, {});
        else if (field in body) reply(socket, status, rejection);
        else stream(socket, [TEXT, STOP]);
      },
      async ({ upstream, server }) => {
        const sent = () =>
          server.requests.filter(({ path }) => path !== '/v1/models').map(({ body }) => body);
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('All is well.');
        await readResponse(upstream.chat.stream(QUESTION));
        expect(sent()).toHaveLength(3);
        expect(sent()[2]).toMatchObject(expected);
        expect(sent()[2]).not.toHaveProperty(field);
      },
      { fitToModel: true },
    );
  });

  test('not renamed if only its value is rejected', async () => {
    const error = { message: 'max_tokens is too large: 4096.', param: 'max_tokens', code: 'invalid_value' };
    await withServer(
      (socket, { path }) => (path === '/v1/models' ? reply(socket, 404, {}) : reply(socket, 400, { error })),
      async ({ upstream, server }) => {
        await readResponse(upstream.chat.stream(QUESTION));
        expect(server.requests.filter(({ path }) => path !== '/v1/models')).toHaveLength(1);
      },
      { fitToModel: true },
    );
  });
});
