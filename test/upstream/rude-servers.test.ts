import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { data, DONE, event, reply, stream } from './raw-server.ts';
import {
  asUpstreamError,
  KEY,
  QUESTION,
  readResponse,
  withServer,
  withVision,
} from './raw-server-harness.ts';
import { writeWav } from '../../shared/upstream/index.ts';

// Servers that are not ours: what they send instead of an answer is told apart from an answer and from a broken connection.

const TEXT = event({ content: 'All is well.' });
const STOP = event({}, 'stop');
const choice = (value: object) => data({ choices: [value] });

describe('an error with status 200', () => {
  test.each([
    ['an error object', { error: { message: 'Boom', code: null } }, { kind: 'server' }, 3],
    ['an error text', { error: 'Boom' }, { kind: 'server' }, 3],
    ['a detail', { detail: 'The model is loading' }, { kind: 'server' }, 3],
    [
      'a code of the server and a message',
      { code: 40001, message: 'x' },
      { kind: 'server', code: '40001' },
      3,
    ],
    ['a failed success', { success: false, message: 'x' }, { kind: 'server' }, 3],
    ['an invalid key', { error: { message: 'x', code: 'invalid_api_key' } }, { kind: 'auth' }, 1],
    ['an unknown model', { error: { message: 'x', code: 'model_not_found' } }, { kind: 'unknown-model' }, 1],
    [
      'a long prompt',
      { error: { message: 'x', code: 'context_length_exceeded' } },
      { kind: 'bad-request' },
      1,
    ],
    ['no choice and no message', { id: 'c-1', choices: [] }, { kind: 'malformed', code: 'empty_answer' }, 1],
  ])('%s is reported as such', async (_, body, expected, requests) => {
    await withServer(
      (socket) => reply(socket, 200, body),
      async ({ upstream, server }) => {
        const streamed = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(streamed.error)).toMatchObject(expected);
        expect(server.requests).toHaveLength(requests);
        await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject(expected);
      },
    );
  });

  test('quotes no key', async () => {
    await withServer(
      (socket) => reply(socket, 200, { detail: `The key ${KEY} may not.` }),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error).message).toContain('The key [key] may not.');
      },
    );
  });

  test.each([
    ['an error object', { error: { message: 'Boom', code: null } }],
    ['a detail', { detail: 'Boom' }],
  ])('of the speech service, %s is no recording without speech', async (_, body) => {
    const audio = writeWav({ rate: 16_000, channels: 1, samples: Buffer.alloc(320) });
    await withServer(
      (socket) => reply(socket, 200, body),
      async ({ upstream }) =>
        expect(upstream.speech.transcribe({ audio })).rejects.toMatchObject({ kind: 'server' }),
    );
    await withServer(
      (socket) => reply(socket, 200, { transcript: null, detail: 'No speech was found.' }),
      async ({ upstream }) =>
        expect(upstream.speech.transcribe({ audio })).resolves.toMatchObject({ text: '' }),
    );
  });
});

test('of the speech service, an error beside an empty transcript is no recording without speech', async () => {
  const audio = writeWav({ rate: 16_000, channels: 1, samples: Buffer.alloc(320) });
  await withServer(
    (socket) => reply(socket, 200, { transcript: null, error: { message: 'Boom', code: null } }),
    async ({ upstream }) =>
      expect(upstream.speech.transcribe({ audio })).rejects.toMatchObject({ kind: 'server' }),
  );
});

describe('a prompt that exceeds the context has one code, however a server says it:', () => {
  test.each([
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 4119 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      'SGLang',
      400,
      { message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
    ],
    ['TGI', 422, { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.' }],
    [
      'a gateway',
      400,
      { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum', code: null } },
    ],
  ])('%s', async (_, status, body) => {
    await withServer(
      (socket) => reply(socket, status, body),
      async ({ upstream, server }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({
          kind: 'bad-request',
          code: 'context_length_exceeded',
        });
        expect(server.requests).toHaveLength(1);
      },
    );
    await withServer(
      (socket) => stream(socket, [data({ error: { code: 400, message: JSON.stringify(body) } })]),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({
          kind: 'bad-request',
          code: 'context_length_exceeded',
        });
      },
    );
  });

  test('other rejections keep their code', async () => {
    const message = 'max_tokens is too large: 9000. This model supports at most 4096 completion tokens.';
    await withServer(
      (socket) => reply(socket, 400, { error: { message, code: 'invalid_value' } }),
      async ({ upstream }) =>
        expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ code: 'invalid_value' }),
    );
    await withServer(
      (socket) => reply(socket, 500, { error: { message: 'Lost the context window', code: 'crash' } }),
      async ({ upstream }) =>
        expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ kind: 'server', code: 'crash' }),
    );
  });
});

test('of a submitted job, an error with status 200 is reported by its code', async () => {
  await withVision(
    (socket) => reply(socket, 200, { error: { message: 'No credit', code: 'insufficient_quota' } }),
    async ({ upstream, server }) => {
      const job = { model: 'm', input: { prompt: 'x' } };
      await expect(upstream.vision.submit(job)).rejects.toMatchObject({ kind: 'quota' });
      expect(server.requests).toHaveLength(1);
    },
  );
});

test('a compressed stream is reported as such and not requested again; no request allows one', async () => {
  const body = gzipSync(`${TEXT}${STOP}${DONE}`);
  await withServer(
    (socket) => stream(socket, [body], { 'content-encoding': 'gzip' }),
    async ({ upstream, server }) => {
      const { error } = await readResponse(upstream.chat.stream(QUESTION));
      expect(asUpstreamError(error)).toMatchObject({ kind: 'malformed', code: 'compressed' });
      expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity']);
    },
  );
});

describe('a response that is no stream', () => {
  test.each([
    ['text/plain', 'Service is starting'],
    ['text/html; charset=utf-8', '<html>Please log in</html>'],
    ['application/json', 'null'],
    ['application/json', '[{"generated_text":"Hi"}]'],
  ])('%s %s is reported, and not as an interrupted answer', async (type, body) => {
    await withServer(
      (socket) => stream(socket, [body], { 'content-type': type }),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'malformed', code: 'not_a_stream' });
      },
    );
  });

  test('a stream of comments alone was interrupted', async () => {
    await withServer(
      (socket) => stream(socket, [': ping\n\n', ': ping\n\n']),
      async ({ upstream }) =>
        expect(asUpstreamError((await readResponse(upstream.chat.stream(QUESTION))).error).kind).toBe('cut'),
    );
  });
});

describe('an answer is read', () => {
  test.each([
    ['without any optional field', [choice({ delta: { content: 'All is well.' }, finish_reason: 'stop' })]],
    ['with numbers for ids', [data({ id: 7, model: 9, created: 'now', choices: [] }), TEXT, STOP]],
    [
      'with null for choices and deltas',
      [data({ choices: null }), choice({ index: 0, delta: null }), TEXT, STOP],
    ],
    ['with a text for the index', [choice({ index: '0', delta: { content: 'All is well.' } }), STOP]],
    ['with `message` for `delta`', [choice({ message: { content: 'All is well.' }, finish_reason: 'stop' })]],
    ['with comments while the model works', [': PROCESSING\n\n', TEXT, ': PROCESSING\n\n', STOP]],
    ['with usage of null', [TEXT, event({}, 'stop', { usage: null })]],
    ['with usage of texts', [TEXT, event({}, 'stop', { usage: { prompt_tokens: '7' } })]],
    ['without a finish reason', [TEXT, DONE]],
  ])('%s', async (_, events) => {
    await withServer(
      (socket) => stream(socket, events),
      async ({ upstream }) => {
        const { end } = await readResponse(upstream.chat.stream(QUESTION));
        expect(end).toMatchObject({ text: 'All is well.', usage: undefined });
      },
    );
  });

  test('in one event of 1 MB', async () => {
    const content = 'x'.repeat(1024 * 1024);
    await withServer(
      (socket) => stream(socket, [event({ content }), STOP, DONE]),
      async ({ upstream }) =>
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toHaveLength(content.length),
    );
  });

  test('from `refusal`, streamed and whole', async () => {
    const refusal = 'I cannot help with that.';
    const message = { role: 'assistant', content: null, refusal };
    await withServer(
      (socket, { body }) =>
        body['stream'] === true
          ? stream(socket, [
              event({ content: '' }),
              event({ refusal: 'I cannot ' }),
              event({ refusal: 'help with that.' }),
              STOP,
            ])
          : reply(socket, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }] }),
      async ({ upstream }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(refusal);
        expect((await upstream.chat.complete(QUESTION)).text).toBe(refusal);
      },
    );
  });
});
