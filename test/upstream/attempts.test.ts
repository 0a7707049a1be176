import { describe, expect, test } from '@jest/globals';
import type { RateLimitInfo } from '../../shared/upstream/index.ts';
import { answerOf, chunk, reply, stream, streamHead } from './raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse, withServer } from './raw-server-harness.ts';

const LIMITED = {
  error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null },
};
const FULL = { error: { message: 'Full', type: 'rate_limit_error', code: 'model_at_capacity', param: null } };
const ok = { status: 200, body: {}, headers: {} };

describe('a request is retried', () => {
  test.each([
    [500, { id: 'e-1', error: { message: 'oops', type: 'server_error' } }],
    [502, '<html>Bad gateway</html>'],
    [503, ''],
    [408, {}],
    [409, {}],
  ])('after %d, at most twice', async (status, body) => {
    await withServer(
      (socket) => reply(socket, status, body),
      async ({ upstream, server, time }) => {
        const tokens: number[] = [];
        const { error } = await readResponse(
          upstream.chat.stream(QUESTION, { beforeAttempt: async (n) => void tokens.push(n) }),
        );
        expect(asUpstreamError(error)).toMatchObject({ kind: 'server', status });
        expect(server.requests).toHaveLength(3);
        expect(tokens).toEqual([1, 2, 3]);
        expect(time.waits).toEqual([250, 500]);
        expect(time.pending).toBe(0);
      },
    );
  });

  test('after a connection reset before the first event, and the answer is then complete', async () => {
    await withServer(
      (socket, _, count) => {
        if (count === 1) socket.destroy();
        else if (count === 2) {
          streamHead(socket);
          chunk(socket, ': ping\n\n');
          socket.end();
        } else stream(socket, answerOf('At last'));
      },
      async ({ upstream, server }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION));
        expect(response.end?.text).toBe('At last');
        expect(server.requests).toHaveLength(3);
      },
    );
  });

  test('after its rate limit, not before Retry-After, and with the same model', async () => {
    await withServer(
      (socket, _, count) =>
        count === 1 ? reply(socket, 429, LIMITED, { 'retry-after': '3' }) : stream(socket, answerOf('Hi')),
      async ({ upstream, server, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
        expect(response.end?.text).toBe('Hi');
        expect(server.requests.map(({ body }) => body['model'])).toEqual(['model-a', 'model-a']);
        expect(time.waits).toEqual([3_250]);
      },
    );
  });

  test('at once with the next model when a model is at capacity, and from the first again after the last', async () => {
    await withServer(
      (socket, _, count) =>
        count < 4 ? reply(socket, 429, FULL, { 'retry-after': '1' }) : stream(socket, answerOf('Hi')),
      async ({ upstream, server, time }) => {
        const response = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
        expect(response.end?.text).toBe('Hi');
        expect(server.requests.map(({ body }) => body['model'])).toEqual([
          'model-a',
          'model-b',
          'model-a',
          'model-b',
        ]);
        expect(time.waits).toEqual([1_250]);
      },
    );
  });

  test('once with a refreshed key after a 401', async () => {
    const signals: (boolean | undefined)[] = [];
    const apiKey = async (ask?: { readonly refresh: boolean }): Promise<string> => {
      signals.push(ask?.refresh);
      return ask?.refresh === true ? 'new-key' : KEY;
    };
    await withServer(
      (socket, { headers }) =>
        headers['authorization'] === 'Bearer new-key'
          ? stream(socket, answerOf('Hi'))
          : reply(socket, 401, { error: { message: 'no', type: 'x' } }),
      async ({ upstream, server }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Hi');
        expect(signals).toEqual([undefined, true]);
        expect(server.requests).toHaveLength(2);
      },
      { apiKey },
    );
  });
});

describe('a request is not retried', () => {
  test.each([
    [
      400,
      { error: { message: 'Bad', type: 'x', code: 'invalid_value', param: 'reasoning_effort' } },
      {},
      { kind: 'bad-request', code: 'invalid_value', param: 'reasoning_effort' },
    ],
    [404, { error: { message: 'No model', type: 'x', code: null } }, {}, { kind: 'unknown-model' }],
    [
      404,
      { object: 'error', message: 'The model `m` does not exist.', code: 404 },
      {},
      { kind: 'unknown-model' },
    ],
    [404, { error: { message: "model 'm' not found, try pulling it first" } }, {}, { kind: 'unknown-model' }],
    [404, { detail: 'Not Found' }, {}, { kind: 'not-found' }],
    [404, { error: { message: 'Invalid URL (POST /v1/v1/chat/completions)' } }, {}, { kind: 'not-found' }],
    [404, '404 page not found', {}, { kind: 'not-found' }],
    [404, '<html><title>404 Not Found</title></html>', {}, { kind: 'not-found' }],
    [404, '', {}, { kind: 'not-found' }],
    [
      400,
      '<html>The plain HTTP request was sent to HTTPS port</html>',
      {},
      { kind: 'bad-request', code: 'html' },
    ],
    [403, '<!doctype html><title>Attention required</title>', {}, { kind: 'auth', code: 'html' }],
    [403, { error: { message: 'No access', code: null } }, {}, { kind: 'auth' }],
    [413, {}, {}, { kind: 'too-large' }],
    [
      422,
      { detail: [{ loc: ['body', 'stop'], msg: 'not a list', type: 'list_type' }] },
      {},
      { kind: 'bad-request', code: 'list_type', param: 'stop' },
    ],
    [429, { error: { message: 'You exceeded your current quota', code: null } }, {}, { kind: 'quota' }],
    [429, { error: { message: 'x', code: 'insufficient_quota' } }, { 'retry-after': '1' }, { kind: 'quota' }],
    [402, { error: 'pay' }, {}, { kind: 'quota' }],
    [307, '', { location: 'http://127.0.0.1:1/' }, { kind: 'malformed', code: 'redirect' }],
    [429, LIMITED, { 'retry-after': '90' }, { kind: 'rate-limited', retryAfterMs: 90_000 }],
  ])('after %d %j', async (status, body, headers, expected) => {
    await withServer(
      (socket) => reply(socket, status, body, { ...headers, 'x-request-id': 'r-7' }),
      async ({ upstream, server, time }) => {
        const { error } = await readResponse(
          upstream.chat.stream(QUESTION, { deadline: time.now() + 60_000 }),
        );
        expect(asUpstreamError(error)).toMatchObject({ ...expected, status, requestId: 'r-7' });
        expect(server.requests).toHaveLength(1);
        expect(time.pending).toBe(0);
      },
    );
  });

  test('with the same key after a 401, also by later requests, and no message contains the key', async () => {
    await withServer(
      (socket) =>
        reply(socket, 401, { error: { message: `Incorrect API key: ${KEY}`, type: 'x', code: KEY } }),
      async ({ upstream, server }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'auth', status: 401 });
        expect(`${String(error)}${JSON.stringify(error)}`).not.toContain(KEY);
        expect(asUpstreamError(error).message).toContain('[key]');
        expect(server.requests).toHaveLength(1);
        const later = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(later.error)).toMatchObject({ kind: 'auth', status: 401 });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('with a key that may not list the models is not the end of chat', async () => {
    await withServer(
      (socket, { method }) =>
        method === 'GET'
          ? reply(socket, 401, { error: { message: 'x-api-key header is required', type: 'x' } })
          : stream(socket, answerOf('Hi')),
      async ({ upstream, server }) => {
        await expect(upstream.models.list()).rejects.toMatchObject({ kind: 'auth', status: 401 });
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Hi');
        // To the list itself the key is not sent again.
        await expect(upstream.models.list()).rejects.toMatchObject({ kind: 'auth', status: 401 });
        expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
      },
    );
  });

  test('with a rotated key that gets a 401 too', async () => {
    const keys = ['key-1', 'key-2'];
    await withServer(
      (socket) => reply(socket, 401, { error: { message: 'no', type: 'x' } }),
      async ({ upstream, server }) => {
        await readResponse(upstream.chat.stream(QUESTION));
        await readResponse(upstream.chat.stream(QUESTION));
        expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
          'Bearer key-1',
          'Bearer key-2',
        ]);
      },
      { apiKey: async (ask) => (ask?.refresh === true ? keys[1] : keys[0]) ?? '' },
    );
  });

  test('and not sent with a key that is invalid in a header', async () => {
    await withServer(
      (socket) => reply(socket, 200, ok),
      async ({ upstream, server }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'auth', code: 'invalid_key' });
        expect(String(error)).not.toContain('two');
        expect(server.requests).toHaveLength(0);
      },
      { apiKey: async () => 'two\nlines' },
    );
  });
});

test('a refused connection is reported after three attempts', async () => {
  const tokens: number[] = [];
  await withServer(
    (socket) => void socket.destroy(),
    async ({ upstream, server }) => {
      await server.close();
      const { error } = await readResponse(
        upstream.chat.stream(QUESTION, { beforeAttempt: async (n) => void tokens.push(n) }),
      );
      expect(asUpstreamError(error)).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED' });
      expect(tokens).toEqual([1, 2, 3]);
    },
  );
});

test('retries are limited to a tenth of the requests after the first ten', async () => {
  await withServer(
    (socket) => reply(socket, 500, {}),
    async ({ upstream, server }) => {
      for (let call = 0; call < 30; call += 1) await readResponse(upstream.chat.stream(QUESTION));
      expect(server.requests.length).toBeGreaterThanOrEqual(30 + 10);
      expect(server.requests.length).toBeLessThanOrEqual(30 + 13);
    },
  );
});

test('a 429 that mentions a quota but has a Retry-After is retried', async () => {
  const body = { error: { message: 'Quota per minute exceeded', type: 'x', code: null } };
  await withServer(
    (socket, _, count) =>
      count === 1 ? reply(socket, 429, body, { 'retry-after': '1' }) : stream(socket, answerOf('Hi')),
    async ({ upstream }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Hi');
    },
  );
});

test('a rejecting beforeAttempt ends the request with its own error', async () => {
  await withServer(
    (socket) => reply(socket, 500, {}),
    async ({ upstream, server }) => {
      const refusal = new Error('no token');
      const response = await readResponse(
        upstream.chat.stream(QUESTION, { beforeAttempt: () => Promise.reject(refusal) }),
      );
      expect(response.error).toBe(refusal);
      expect(server.requests).toHaveLength(0);
    },
  );
});

test('the rate limit headers of every response are reported, of errors too', async () => {
  const headers = {
    'x-ratelimit-limit-requests': '120',
    'x-ratelimit-remaining-requests': '29',
    'x-ratelimit-reset-requests': '500ms',
  };
  const infos: RateLimitInfo[] = [];
  await withServer(
    (socket, _, count) =>
      count === 1
        ? reply(socket, 429, FULL, { ...headers, 'retry-after': '1' })
        : stream(socket, answerOf('Hi'), headers),
    async ({ upstream }) => {
      await readResponse(upstream.chat.stream(QUESTION, { onRateLimit: (limits) => infos.push(limits) }));
      const limits = { limit: 120, remaining: 29, resetMs: 500 };
      expect(infos).toEqual([
        { ...limits, model: 'model-a', status: 429, code: 'model_at_capacity', retryAfterMs: 1_000 },
        { ...limits, model: 'model-a', status: 200, retryAfterMs: undefined },
      ]);
    },
  );
});
