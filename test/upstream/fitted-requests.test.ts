import { describe, expect, test } from '@jest/globals';
import { answerOf, reply, stream } from './raw-server.ts';
import { QUESTION, asUpstreamError, readResponse, withServer } from './raw-server-harness.ts';

const LISTED = {
  id: 'model-a',
  input_modalities: ['text', 'image'],
  context_length: 8_000,
  max_output_length: 2_000,
  supported_sampling_parameters: ['temperature', 'top_p', 'top_k'],
  supported_features: ['tools', 'streaming'],
  is_ready: true,
};

const reject = (param: string, code = 'unsupported_parameter') => ({
  error: { message: 'No', type: 'invalid_request_error', code, param },
});

describe('a fitted chat request', () => {
  const models = [
    LISTED,
    { ...LISTED, id: 'asleep', is_ready: false },
    { ...LISTED, id: 'mute', supported_features: [] },
    { ...LISTED, id: 'model-b' },
  ];
  const fitted = { fitToModel: true };

  test('asks only for what the model supports, within its context', async () => {
    await withServer(
      (socket, { path }) =>
        path === '/v1/models' ? reply(socket, 200, { data: models }) : stream(socket, answerOf('Hi')),
      async ({ upstream, server }) => {
        const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, seed: 1 }));
        expect(end?.omitted).toEqual(['seed']);
        expect(server.requests[1]?.body).toMatchObject({ max_tokens: 2_000 });
        expect(server.requests[1]?.body).not.toHaveProperty('seed');
        const long = { ...QUESTION, messages: [{ role: 'user', content: 'word '.repeat(5_000) }] } as const;
        const { error } = await readResponse(upstream.chat.stream(long));
        expect(asUpstreamError(error)).toMatchObject({
          kind: 'bad-request',
          code: 'context_length_exceeded',
        });
        expect(server.requests).toHaveLength(2);
      },
      fitted,
    );
  });

  test('skips stand-in models that cannot answer', async () => {
    const full = { error: { message: 'Full', code: 'model_at_capacity' } };
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 200, { data: models });
        else if (body['model'] === 'model-b') stream(socket, answerOf('Hi'));
        else reply(socket, 429, full, { 'retry-after': '1' });
      },
      async ({ upstream, server }) => {
        const request = { ...QUESTION, tools: [{ name: 'f' }], toolChoice: 'required' } as const;
        await readResponse(upstream.chat.stream(request, { standIns: ['asleep', 'mute', 'model-b'] }));
        expect(server.requests.map(({ body }) => body['model'])).toEqual([undefined, 'model-a', 'model-b']);
      },
      fitted,
    );
  });

  test('asks a stand-in model without tools if a tool call is not demanded', async () => {
    const full = { error: { message: 'Full', code: 'model_at_capacity' } };
    await withServer(
      (socket, { path, body }) => {
        if (path === '/v1/models') reply(socket, 200, { data: models });
        else if (body['model'] === 'mute') stream(socket, answerOf('Hi'));
        else reply(socket, 429, full, { 'retry-after': '1' });
      },
      async ({ upstream, server }) => {
        const request = { ...QUESTION, tools: [{ name: 'f' }] };
        const { end } = await readResponse(upstream.chat.stream(request, { standIns: ['mute'] }));
        expect(end?.omitted).toContain('tools');
        expect(server.requests.at(-1)?.body).not.toHaveProperty('tools');
      },
      fitted,
    );
  });

  test('sends a schema of any object in place of json_object', async () => {
    await withServer(
      (socket, { path }) =>
        path === '/v1/models'
          ? reply(socket, 200, { data: [{ ...LISTED, supported_features: ['structured_outputs'] }] })
          : stream(socket, answerOf('{}')),
      async ({ upstream, server }) => {
        await readResponse(upstream.chat.stream({ ...QUESTION, responseFormat: { type: 'json_object' } }));
        expect(server.requests.at(-1)?.body['response_format']).toEqual({
          type: 'json_schema',
          json_schema: { name: 'json_object', schema: { type: 'object' } },
        });
      },
      fitted,
    );
  });

  describe('whose field the server rejects', () => {
    const request = { ...QUESTION, minP: 0.1, temperature: 0.2 };

    test('is sent again once without it, and later requests are sent without it at once', async () => {
      await withServer(
        (socket, { path, body }) => {
          if (path === '/v1/models') reply(socket, 404, {});
          else if ('min_p' in body) reply(socket, 400, reject('min_p'));
          else stream(socket, answerOf('Hi'));
        },
        async ({ upstream, server, time }) => {
          const { end } = await readResponse(upstream.chat.stream(request));
          expect(end?.omitted).toEqual(['min_p']);
          await readResponse(upstream.chat.stream(request));
          const sent = () => server.requests.filter(({ path }) => path !== '/v1/models');
          expect(sent().map(({ body }) => [body['min_p'], body['temperature']])).toEqual([
            [0.1, 0.2],
            [undefined, 0.2],
            [undefined, 0.2],
          ]);
          time.advance(61 * 60_000);
          await readResponse(upstream.chat.stream(request));
          expect(sent()[3]?.body).toMatchObject({ min_p: 0.1 });
        },
        fitted,
      );
    });

    test.each([
      ['for its value is not remembered', reject('min_p', 'invalid_value'), 4],
      ['is final if the request cannot do without it', reject('messages[0].content'), 2],
      ['is final without the name of the field', { error: { message: 'No' } }, 2],
    ])('%s', async (_, rejection, requests) => {
      await withServer(
        (socket, { path, body }) => {
          if (path === '/v1/models') reply(socket, 404, {});
          else if ('min_p' in body) reply(socket, 400, rejection);
          else stream(socket, answerOf('Hi'));
        },
        async ({ upstream, server }) => {
          await readResponse(upstream.chat.stream(request));
          await readResponse(upstream.chat.stream(request));
          expect(server.requests.filter(({ path }) => path !== '/v1/models')).toHaveLength(requests);
        },
        fitted,
      );
    });

    test('is sent again only once if the server rejects it without the field too', async () => {
      await withServer(
        (socket, { path }) => reply(socket, path === '/v1/models' ? 404 : 400, reject('min_p')),
        async ({ upstream, server }) => {
          const { error } = await readResponse(upstream.chat.stream(request));
          expect(asUpstreamError(error)).toMatchObject({ kind: 'bad-request', param: 'min_p' });
          expect(server.requests.filter(({ path }) => path !== '/v1/models')).toHaveLength(2);
        },
        fitted,
      );
    });
  });

  test('is sent unchanged without a list, and clears the list after an unknown model', async () => {
    await withServer(
      (socket, { path }) => (path === '/v1/models' ? reply(socket, 404, {}) : stream(socket, answerOf('Hi'))),
      async ({ upstream, server }) => {
        const { end } = await readResponse(upstream.chat.stream({ ...QUESTION, seed: 1 }));
        expect(end?.text).toBe('Hi');
        expect(server.requests.at(-1)?.body).toMatchObject({ seed: 1, max_tokens: 4_096 });
      },
      fitted,
    );
  });
});
