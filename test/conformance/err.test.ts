import { expect, test } from '@jest/globals';
import { pick, user } from '../simulators/upstream/test-client.ts';
import { answerOf, reply, stream } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { errorBody } from './samples.ts';
import { ROOMY, service } from './service.ts';

const { sim, send, ask, outcomes, client } = service(ROOMY);

const HELLO = { model: 'model-c', messages: [{ role: 'user', content: 'hello' }] } as const;

test(row('ERR-001'), async () => {
  const { json } = await ask({ max_tokens: 0 });
  const fields = { code: null, message: expect.any(String), param: 'max_tokens', type: expect.any(String) };
  expect(json).toEqual({ error: fields });
  expect(pick((await send({ path: '/v1/models', headers: {} })).json, 'error')).toHaveProperty('type');
  await expect(
    client().chat.complete({ ...HELLO, reasoningEffort: 'low', maxTokens: 0 }),
  ).rejects.toMatchObject({
    kind: 'bad-request',
    status: 400,
    param: 'max_tokens',
    message: expect.stringContaining('max_tokens must be at least 1'),
  });
});

test(row('ERR-002'), async () => {
  for (const patch of [{ model: 'nope' }, { max_tokens: 0 }, { top_logprobs: 21, logprobs: true }]) {
    const error = pick((await ask(patch)).json, 'error');
    expect([typeof pick(error, 'message'), typeof pick(error, 'type')]).toEqual(['string', 'string']);
    expect(pick(error, 'message')).not.toBe('');
  }
});

test(row('ERR-003'), async () => {
  expect(pick((await send({ body: '[]' })).json, 'error')).toMatchObject({ code: null, param: null });
  await withServer(
    (socket) => reply(socket, 400, errorBody('x', null, null)),
    async ({ upstream }) => {
      await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({
        code: undefined,
        param: undefined,
      });
    },
  );
});

test(row('ERR-004'), async () => {
  expect(await outcomes({ stop: 3 }, { messages: [{ role: 'x' }] }, { model: 'nope' })).toEqual([
    '400 stop',
    '400 messages[0].role',
    '404 model',
  ]);
});

test(row('ERR-005'), async () => {
  for (const body of ['{', '[]', '']) expect((await send({ method: 'POST', body })).status).toBe(400);
});

test(row('ERR-006'), async () => {
  const wrong = [{ frequency_penalty: 3 }, { max_tokens: 0 }, { top_logprobs: 99 }];
  expect(await outcomes(...wrong)).toEqual(['400 frequency_penalty', '400 max_tokens', '400 top_logprobs']);
});

test(row('ERR-007'), async () => {
  const wrong = [{ model: 'model-a', min_p: 0.1 }, { model: 'vendor-flash-3', tools: [] }, { min_p: 1 }];
  expect(await outcomes(...wrong)).toEqual(['400 min_p', '400 tools', '400 min_p']);
});

test(row('ERR-008'), async () => {
  await withServer(
    (socket) => reply(socket, 400, errorBody('validation_error')),
    async ({ upstream, server, time }) => {
      await expect(upstream.chat.complete(QUESTION, { standIns: ['model-b'] })).rejects.toMatchObject({
        status: 400,
      });
      expect([server.requests.length, time.waits]).toEqual([1, []]);
    },
  );
});

test(row('ERR-009'), async () => {
  const { status, json } = await ask({ model: 'nope' });
  expect([status, pick(json, 'error', 'param')]).toEqual([404, 'model']);
});

const LIMITED = errorBody('rate_limit_error', 'rate_limit_exceeded');
const FULL = errorBody('rate_limit_error', 'model_at_capacity');

test(row('ERR-010'), async () => {
  for (const fault of [{ kind: 'limited' }, { kind: 'capacity' }] as const) {
    sim().control.fail(fault);
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/u);
  }
  await withServer(
    (socket) => reply(socket, 429, LIMITED, { 'retry-after': '90' }),
    async ({ upstream }) => {
      await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ retryAfterMs: 90_000 });
    },
  );
});

test(row('ERR-011'), async () => {
  const forms = ['3', '2.5', 'Thu, 01 Jan 2026 00:00:03 GMT'];
  const least = [3_000, 2_500, 3_000];
  for (const [at, form] of forms.entries()) {
    await withServer(
      (socket, _, count) =>
        count === 1 ? reply(socket, 429, LIMITED, { 'retry-after': form }) : stream(socket, answerOf('Hi')),
      async ({ upstream, server, time }) => {
        expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe('Hi');
        // Plus half of the first jitter (0.5 s): the random number of the rig is 0.5.
        expect([server.requests.length, time.waits]).toEqual([2, [(least[at] ?? 0) + 250]]);
      },
    );
  }
});

test(row('ERR-012'), async () => {
  sim().control.fail({ kind: 'limited' });
  expect(pick((await ask()).json, 'error', 'code')).toBe('rate_limit_exceeded');
  sim().control.fail({ kind: 'limited', retryAfter: 90 });
  await expect(client().chat.complete(HELLO)).rejects.toMatchObject({
    kind: 'rate-limited',
    code: 'rate_limit_exceeded',
  });
});

test(row('ERR-013'), async () => {
  sim().control.fail({ kind: 'capacity' });
  expect(pick((await ask()).json, 'error', 'code')).toBe('model_at_capacity');
  sim().control.fail({ kind: 'capacity', retryAfter: 90 });
  await expect(client().chat.complete(HELLO)).rejects.toMatchObject({
    kind: 'at-capacity',
    code: 'model_at_capacity',
  });
});

test(row('ERR-014'), async () => {
  sim().control.fail({ kind: 'capacity' });
  const { status, headers } = await ask();
  expect(status).toBe(429);
  expect(Number(headers['x-ratelimit-remaining-requests'])).toBeGreaterThan(0);
});

test(row('ERR-015'), async () => {
  await withServer(
    (socket, _, count) =>
      count === 1 ? reply(socket, 429, LIMITED, { 'retry-after': '1' }) : stream(socket, answerOf('Hi')),
    async ({ upstream, server, time }) => {
      await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
      expect(server.requests.map(({ body }) => body['model'])).toEqual(['model-a', 'model-a']);
      expect(time.waits).toEqual([1_250]);
    },
  );
});

test(row('ERR-016'), async () => {
  await withServer(
    (socket, { body }) =>
      body['model'] === 'model-a'
        ? reply(socket, 429, FULL, { 'retry-after': '9' })
        : stream(socket, answerOf('Hi')),
    async ({ upstream, server, time }) => {
      const { end } = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
      expect(end?.text).toBe('Hi');
      expect(server.requests.map(({ body }) => body['model'])).toEqual(['model-a', 'model-b']);
      expect(time.waits).toEqual([]);
    },
  );
});

test(row('ERR-017'), async () => {
  for (const status of [500, 502, 503]) {
    sim().control.fail({ kind: 'error', status }, 2);
    const before = sim().journal.length;
    expect((await client().chat.complete(HELLO)).finish).toBe('stop');
    expect(
      sim()
        .journal.slice(before)
        .map((entry) => entry.status),
    ).toEqual([status, status, 200]);
  }
  sim().control.fail({ kind: 'error', status: 500 }, 3);
  await expect(client().chat.complete(HELLO)).rejects.toMatchObject({ kind: 'server', status: 500 });
});

test(row('ERR-018'), async () => {
  const body = { id: 'body-7', error: { message: 'No.', type: 'server_error' } };
  const cases = [
    [{ 'x-request-id': 'head-7' }, 'head-7'],
    [{ 'request-id': 'head-8' }, 'head-8'],
    [{}, 'body-7'],
  ] as const;
  for (const [headers, requestId] of cases) {
    await withServer(
      (socket) => reply(socket, 500, body, headers),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'server', requestId });
      },
    );
  }
});

test(row('ERR-019'), async () => {
  sim().control.fail({ kind: 'error', status: 500 });
  const { json, headers } = await ask();
  expect(pick(json, 'id')).toMatch(/^\S{8,}$/u);
  expect(pick(json, 'id')).toBe(headers['x-request-id']);
  expect((await ask({ model: 'nope' })).json).not.toHaveProperty('id');
});

test(row('ERR-020'), async () => {
  const headers = { 'x-api-key': sim().apiKey };
  for (let n = 0; n < 10; n += 1) await send({ path: '/v1/clips', headers, body: {} });
  const { status, json } = await send({ path: '/v1/clips', headers, body: {} });
  expect(status).toBe(429);
  expect(json).toEqual({ error: { code: 'rate_limit_exceeded', message: expect.any(String) } });
  await expect(client().vision.call('clips', { json: {} }, { maxWaitMs: 1_000 })).rejects.toMatchObject({
    kind: 'rate-limited',
    status: 429,
    code: 'rate_limit_exceeded',
  });
});

test(row('ERR-021'), async () => {
  for (const type of ['rate_limit_error', 'server_error', 'nonsense', '']) {
    await withServer(
      (socket) => reply(socket, 400, errorBody(type)),
      async ({ upstream }) => {
        await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ kind: 'bad-request' });
      },
    );
  }
  for (const type of ['insufficient_quota', 'billing_error']) {
    await withServer(
      (socket) => reply(socket, 429, errorBody(type)),
      async ({ upstream }) => {
        await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ kind: 'rate-limited' });
      },
    );
  }
  expect(pick((await ask({ model: 'nope' })).json, 'error', 'type')).toBe('not_found_error');
  expect(pick((await ask({ messages: [user(3)] })).json, 'error', 'type')).toBe('validation_error');
});

test(row('ERR-022'), async () => {
  const page = `<html><style>p{}</style><body><h1>Bad gateway</h1> ${KEY}</body></html>`;
  const pages = [
    [502, 'server'],
    [403, 'auth'],
    [404, 'not-found'],
    [429, 'rate-limited'],
  ] as const;
  for (const [status, kind] of pages) {
    await withServer(
      (socket) => reply(socket, status, page, { 'content-type': 'text/html' }),
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error)).toMatchObject({ kind, status });
        expect(asUpstreamError(error).message).toMatch(/Bad gateway \[key\]$/u);
      },
    );
  }
});
