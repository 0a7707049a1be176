import { describe, expect, test } from '@jest/globals';
import { createHttpError } from '../../shared/upstream/http/create-error.ts';
import { data, DONE, event, reply, stream } from './raw-server.ts';
import { asUpstreamError, QUESTION, readResponse, withServer } from './raw-server-harness.ts';

// The errors of servers of the format, each in its own form. Reported by their users; the words are ours.

const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const choice = (value: object, more: object = {}) => data({ choices: [value], ...more });

const routed = (metadata: object) => ({
  error: { message: 'Provider returned error', code: 400, metadata },
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
    [
      'of OpenRouter: the reason of the provider, as JSON',
      400,
      routed({ raw: '{"error":{"message":"At most 1 image is supported."}}', provider_name: 'Crucible' }),
      {},
      {
        kind: 'bad-request',
        message: 'The upstream answered 400 (400): Provider returned error: At most 1 image is supported.',
      },
    ],
    [
      'of OpenRouter: the reason of the provider, that the prompt is too long',
      400,
      routed({ raw: [{ error: { code: 400, message: 'The input token count exceeds the maximum.' } }] }),
      {},
      { kind: 'bad-request', code: 'context_length_exceeded' },
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

  test('of OpenRouter: a quota of the provider is not the credit of this account', () => {
    const body = JSON.stringify(routed({ raw: quota.message }));
    const error = createHttpError({ status: 429, headers: {}, body, key: 'sk-1', now: 0, isChat: true });
    expect(error).toMatchObject({ kind: 'rate-limited', message: expect.stringContaining(quota.message) });
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
