import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import type { RateLimitInfo } from '../../shared/upstream/index.ts';
import { answerOf, data, event } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse } from '../upstream/raw-server-harness.ts';
import type { RawResponse } from './framings.ts';
import { overBytes, say, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { errorBody } from './samples.ts';

const HI: RawResponse = { events: answerOf(TEXT) };
const fail = (
  status: number,
  code: string | null = null,
  headers: Record<string, string> = {},
): RawResponse => ({
  status,
  json: { error: { message: 'No, ü.', type: 'x', code, param: null } },
  headers,
});

/** The error of a stream and of a completion without streaming. */
async function fails(response: RawResponse, facts: object, requests = 1): Promise<void> {
  await overBytes(
    () => response,
    async ({ upstream, server }) => {
      await expect(upstream.chat.complete(QUESTION, { maxWaitMs: 0 })).rejects.toMatchObject(facts);
      expect(server.requests).toHaveLength(requests);
      expect(
        asUpstreamError((await readResponse(upstream.chat.stream(QUESTION, { maxWaitMs: 0 }))).error),
      ).toMatchObject(facts);
    },
  );
}

test(onBytes('ERR-001'), () =>
  fails(
    { status: 400, json: { error: { message: 'No, ü.', type: 'x', code: 'invalid_value', param: 'stop' } } },
    {
      kind: 'bad-request',
      status: 400,
      code: 'invalid_value',
      param: 'stop',
      message: expect.stringContaining('No, ü.'),
    },
  ),
);

test(onBytes('ERR-003'), () =>
  fails({ status: 400, json: errorBody('x') }, { code: undefined, param: undefined }),
);

test(onBytes('ERR-008'), () =>
  overBytes(
    () => fail(400),
    async ({ upstream, server, time }) => {
      await expect(upstream.chat.complete(QUESTION, { standIns: ['model-b'] })).rejects.toMatchObject({
        kind: 'bad-request',
        status: 400,
      });
      expect([server.requests.length, time.waits]).toEqual([1, []]);
    },
  ),
);

test(onBytes('ERR-009'), () => fails(fail(404, 'model_not_found'), { kind: 'unknown-model', status: 404 }));

test(onBytes('ERR-010'), () =>
  fails(fail(429, 'rate_limit_exceeded', { 'retry-after': '90' }), {
    kind: 'rate-limited',
    retryAfterMs: 90_000,
  }),
);

/** The waits before a failed first request is retried. */
async function waits(response: RawResponse, expected: readonly number[]): Promise<void> {
  await overBytes(
    (_, count) => (count === 1 ? response : HI),
    async ({ upstream, server, time }) => {
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(TEXT);
      // Plus half of the first jitter (0.5 s): the random number of the rig is 0.5.
      expect([server.requests.length, time.waits]).toEqual([2, expected]);
    },
  );
}

test(onBytes('ERR-011'), async () => {
  for (const form of ['3', 'Thu, 01 Jan 2026 00:00:03 GMT'])
    await waits(fail(429, 'rate_limit_exceeded', { 'retry-after': form }), [3_250]);
  await waits(fail(429, 'rate_limit_exceeded', { 'retry-after': '2.5' }), [2_750]);
  const both = { 'retry-after-ms': '40', 'retry-after': '3' };
  await waits(fail(429, 'rate_limit_exceeded', both), [3_250]);
  await waits(fail(429, 'rate_limit_exceeded', { ...both, 'retry-after-ms': '4000' }), [4_250]);
  await waits(fail(429, 'rate_limit_exceeded', { 'retry-after-ms': '40' }), [290]);
});

test(onBytes('ERR-012'), () =>
  fails(fail(429, 'rate_limit_exceeded', { 'retry-after': '9' }), {
    kind: 'rate-limited',
    code: 'rate_limit_exceeded',
    status: 429,
  }),
);

test(onBytes('ERR-013'), async () => {
  const headers = { 'retry-after': '9', 'x-ratelimit-remaining-requests': '29' };
  await fails(fail(429, 'model_at_capacity', headers), { kind: 'at-capacity', code: 'model_at_capacity' });
  await fails(fail(503, 'model_at_capacity', headers), { kind: 'at-capacity' });
});

test(onBytes('ERR-015'), () =>
  overBytes(
    (_, count) => (count === 1 ? fail(429, 'rate_limit_exceeded', { 'retry-after': '1' }) : HI),
    async ({ upstream, server, time }) => {
      await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
      expect(server.requests.map(({ body, headers }) => [body['model'], headers['authorization']])).toEqual([
        ['model-a', `Bearer ${KEY}`],
        ['model-a', `Bearer ${KEY}`],
      ]);
      expect(time.waits).toEqual([1_250]);
    },
  ),
);

test(onBytes('ERR-016'), () =>
  overBytes(
    (request) =>
      request.body['model'] === 'model-a'
        ? fail(429, 'model_at_capacity', { 'retry-after': '9' })
        : say(request, 1),
    async ({ upstream, server, time }) => {
      const options = { standIns: ['model-b'] };
      expect((await readResponse(upstream.chat.stream(QUESTION, options))).end?.text).toBe(TEXT);
      expect((await upstream.chat.complete(QUESTION, options)).text).toBe(TEXT);
      expect(server.requests.map(({ body }) => body['model'])).toEqual([
        'model-a',
        'model-b',
        'model-a',
        'model-b',
      ]);
      expect(time.waits).toEqual([]);
    },
  ),
);

test(onBytes('ERR-017'), async () => {
  for (const status of [500, 502, 503, 529]) await waits(fail(status), [250]);
  await overBytes(
    () => fail(500),
    async ({ upstream, server, time }) => {
      await expect(upstream.chat.complete(QUESTION)).rejects.toMatchObject({ kind: 'server', status: 500 });
      expect([server.requests.length, time.waits]).toEqual([3, [250, 500]]);
    },
  );
});

test(onBytes('ERR-018'), async () => {
  const json = { id: 'body-7', error: { message: 'No.', type: 'server_error' } };
  const cases = [
    [{ 'x-request-id': 'head-7' }, 'head-7'],
    [{ 'request-id': 'head-8' }, 'head-8'],
    [{}, 'body-7'],
  ] as const;
  for (const [headers, requestId] of cases)
    await fails({ status: 500, json, headers }, { kind: 'server', requestId }, 3);
});

test(onBytes('ERR-020'), () =>
  overBytes(
    () => ({
      status: 429,
      json: { error: { code: 'rate_limit_exceeded', message: 'No, ü.' } },
      headers: { 'retry-after': '60' },
    }),
    async ({ upstream }) =>
      expect(upstream.vision.video('v-1', { maxWaitMs: 1_000 })).rejects.toMatchObject({
        kind: 'rate-limited',
        code: 'rate_limit_exceeded',
        retryAfterMs: 60_000,
        message: expect.stringContaining('No, ü.'),
      }),
  ),
);

test(onBytes('ERR-021'), async () => {
  for (const type of ['rate_limit_error', 'server_error', 'insufficient_quota', ''])
    await fails({ status: 400, json: errorBody(type) }, { kind: 'bad-request' });
  for (const type of ['insufficient_quota', 'billing_error', 'rate_limit_error'])
    await fails({ status: 429, json: errorBody(type) }, { kind: 'rate-limited' }, 3);
  const credit = { message: 'Ü: no credit left.', type: 'rate_limit_error', code: null, param: null };
  await fails({ status: 429, json: { error: credit } }, { kind: 'quota' });
});

test(onBytes('ERR-022'), async () => {
  const text = `<html><style>p{}</style><body><h1>Bäd gateway</h1> ${KEY}</body></html>`;
  for (const [status, kind] of [
    [403, 'auth'],
    [404, 'not-found'],
    [302, 'malformed'],
    [413, 'too-large'],
    [402, 'quota'],
  ] as const)
    await fails({ status, text }, { kind, status, message: expect.stringMatching(/Bäd gateway \[key\]$/u) });
});

test(onBytes('GEN-022'), async () => {
  const quoted = { error: { message: `Your key ${KEY}`, type: KEY, code: KEY, param: KEY }, id: KEY };
  const responses: RawResponse[] = [400, 404, 429].map((status) => ({
    status,
    json: quoted,
    headers: { 'retry-after': '99' },
  }));
  for (const response of [...responses, { events: [event({ content: TEXT }), data(quoted)] }]) {
    await overBytes(
      () => response,
      async ({ upstream }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION));
        expect(asUpstreamError(error).message).toContain('[key]');
        expect(inspect(error, { depth: null, showHidden: true })).not.toContain(KEY);
      },
    );
  }
});

/** What the client reports of a response with these headers. */
async function limits(headers: Record<string, string>, expected: readonly object[]): Promise<void> {
  await overBytes(
    () => ({ ...HI, headers }),
    async ({ upstream }) => {
      const infos: RateLimitInfo[] = [];
      await readResponse(upstream.chat.stream(QUESTION, { onRateLimit: (info) => infos.push(info) }));
      expect(infos).toMatchObject(expected);
    },
  );
}

test(onBytes('LIM-015'), () => {
  const headers = { 'x-ratelimit-limit-requests': '120', 'x-ratelimit-remaining-requests': '0' };
  return limits(headers, [{ limit: 120, remaining: 0, status: 200, model: 'model-a' }]);
});

test(onBytes('LIM-016'), async () => {
  const forms = {
    '500ms': 500,
    '6m0s': 360_000,
    '15': 15_000,
    '1767225603': 3_000,
    '1767225603000': 3_000,
    soon: undefined,
  } as const;
  for (const [form, resetMs] of Object.entries(forms))
    await limits({ 'x-ratelimit-reset-requests': form }, [{ resetMs }]);
  await limits({ 'x-ratelimit-reset-requests': 'Thu, 01 Jan 2026 00:00:03 GMT' }, [{ resetMs: 3_000 }]);
  await waits(
    fail(429, 'rate_limit_exceeded', { 'retry-after': '2', 'x-ratelimit-reset-requests': '4s' }),
    [2_250],
  );
});

test(onBytes('LIM-024'), () => limits({ 'x-ratelimit-requests-reset': '86400' }, [{ resetMs: 86_400_000 }]));

test(onBytes('LIM-025'), async () => {
  await limits({ 'x-ratelimit-requests-remaining': '3', 'retry-after': '0' }, [
    { status: 200, remaining: 3, retryAfterMs: 0 },
  ]);
  await fails(fail(429, null, { 'retry-after': '7' }), { kind: 'rate-limited', retryAfterMs: 7_000 });
});

test(onBytes('LIM-026'), async () => {
  const chat = {
    'x-ratelimit-limit-requests': '120',
    'x-ratelimit-remaining-requests': '29',
    'x-ratelimit-reset-requests': '500ms',
  };
  const vision = {
    'x-ratelimit-requests-limit': '10',
    'x-ratelimit-requests-remaining': '9',
    'x-ratelimit-requests-reset': '60',
  };
  await limits(chat, [{ limit: 120, remaining: 29, resetMs: 500 }]);
  await limits(vision, [{ limit: 10, remaining: 9, resetMs: 60_000 }]);
  await limits({}, []);
});
