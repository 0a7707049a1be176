import { expect, test } from '@jest/globals';
import { createIdempotencyKey, type SubmitRequest } from '../../shared/upstream/index.ts';
import { type Received } from '../upstream/raw-server.ts';
import { KEY, QUESTION } from '../upstream/raw-server-harness.ts';
import { handleOn, originOf, overBytes, say, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { HANDLE, errorBody } from './samples.ts';

const INPUT = { prompt: TEXT, start_image: 'data:image/png;base64,AAAA', more: { deep: [null, 'ü'] } };
const BOAT: SubmitRequest = { model: 'model-a-video', input: INPUT };
const accept = (request: Received): { status: number; json: object } => ({
  status: 202,
  json: HANDLE(originOf(request)),
});
const address = (length: number): string => `https://x.example/${'a'.repeat(length - 18)}`;

/** The client submits this request as that body and path. */
const submits = (patch: Partial<SubmitRequest>, path: string, body: object): Promise<void> =>
  overBytes(accept, async ({ upstream, server }) => {
    expect((await upstream.vision.submit({ ...BOAT, ...patch })).requestId).toBe('r-1');
    expect(server.requests.map((request) => [request.method, request.path, request.body])).toEqual([
      ['POST', path, body],
    ]);
  });
const PATH = '/v2/inference/model-a-video/image-to-video';

test(onBytes('VIS-001'), () =>
  submits({ model: 'a/../b c' }, '/v2/inference/a%2F..%2Fb%20c/image-to-video', { input: INPUT }),
);
test(onBytes('GEN-003'), () => submits({}, PATH, { input: INPUT }));
test(onBytes('VIS-003'), async () => {
  await submits({}, PATH, { input: INPUT });
  const webhookUrl = 'https://x.example/1?a=b';
  await submits({ webhookUrl }, PATH, { input: INPUT, webhook_url: webhookUrl });
});
test(onBytes('VIS-005'), () => submits({ input: { prompt: TEXT } }, PATH, { input: { prompt: TEXT } }));
test(onBytes('VIS-006'), () => submits({}, PATH, { input: INPUT }));

for (const [id, refusedUrl] of [
  ['VIS-007', 'hello'],
  ['VIS-009', address(2084)],
] as const)
  test(onBytes(id), () =>
    overBytes(accept, async ({ upstream, server }) => {
      await expect(upstream.vision.submit({ ...BOAT, webhookUrl: refusedUrl })).rejects.toMatchObject({
        code: 'bad_webhook_url',
        param: 'webhook_url',
      });
      expect(server.requests).toHaveLength(0);
      await upstream.vision.submit({ ...BOAT, webhookUrl: address(2083) });
      expect(server.requests[0]?.body['webhook_url']).toBe(address(2083));
    }),
  );

test(onBytes('GEN-009'), () =>
  overBytes(accept, async ({ upstream, server }) => {
    await upstream.vision.submit(BOAT);
    expect(server.requests[0]?.headers['x-api-key']).toBe(KEY);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  }),
);

test(onBytes('VIS-012'), async () => {
  await overBytes(accept, async ({ upstream, server }) => {
    expect(await upstream.vision.submit(BOAT)).toEqual({
      requestId: 'r-1',
      status: 'IN_QUEUE',
      statusUrl: `${server.url}/v2/inference/requests/r-1/status`,
      responseUrl: `${server.url}/v2/inference/requests/r-1`,
      cancelUrl: `${server.url}/v2/inference/requests/r-1/cancel`,
    });
  });
  for (const status of [null, undefined, ''])
    await overBytes(
      (request) => ({ status: 202, json: { ...HANDLE(originOf(request)), status } }),
      async ({ upstream }) =>
        expect(await upstream.vision.submit(BOAT)).toMatchObject({ requestId: 'r-1', status: '' }),
    );
  for (const name of ['request_id', 'status_url', 'response_url', 'cancel_url']) {
    await overBytes(
      (request) => ({ status: 202, json: { ...HANDLE(originOf(request)), [name]: null } }),
      async ({ upstream }) =>
        expect(upstream.vision.submit(BOAT)).rejects.toMatchObject({ kind: 'malformed', code: 'bad_handle' }),
    );
  }
});

test(onBytes('VIS-014'), async () => {
  for (const status of [200, 201, 202]) {
    await overBytes(
      (request) => ({ ...accept(request), status }),
      async ({ upstream }) => expect((await upstream.vision.submit(BOAT)).requestId).toBe('r-1'),
    );
  }
});

test(onBytes('VIS-015'), () =>
  overBytes(accept, async ({ upstream, server }) => {
    await upstream.vision.submit({ ...BOAT, idempotencyKey: 'a b; c=1' });
    await upstream.vision.submit(BOAT);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['a b; c=1', undefined]);
  }),
);

test(onBytes('VIS-020'), () =>
  overBytes(
    (request, count) => (count < 3 ? { status: 503, json: {} } : accept(request)),
    async ({ upstream, server }) => {
      await upstream.vision.submit({ ...BOAT, idempotencyKey: 'k-1' });
      await upstream.vision.submit({ ...BOAT, idempotencyKey: 'k-2' });
      expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
        'k-1',
        'k-1',
        'k-1',
        'k-2',
      ]);
    },
  ),
);

test(onBytes('VIS-021'), () =>
  overBytes(accept, async ({ upstream, server }) => {
    for (const event of ['1.2', '1.2', '1.3'])
      await upstream.vision.submit({
        ...BOAT,
        idempotencyKey: createIdempotencyKey('install', 'T1', 'C1', event),
      });
    const [first, again, other] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toMatch(/^[0-9a-f]{64}$/u);
  }),
);

const STATES = {
  IN_QUEUE: 'queued',
  in_queue: 'queued',
  QUEUED: 'queued',
  PENDING: 'queued',
  IN_PROGRESS: 'running',
  RUNNING: 'running',
  Processing: 'running',
  COMPLETED: 'done',
  succeeded: 'done',
  OK: 'done',
  FAILED: 'failed',
  ERROR: 'failed',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
  DREAMING: 'unknown',
} as const;

test(onBytes('VIS-024'), async () => {
  const states = Object.entries(STATES);
  await overBytes(
    (_, count) => ({ json: { status: states[count - 1]?.[0], queue_position: 2 } }),
    async ({ upstream, server }) => {
      for (const [status, state] of states)
        expect(await upstream.vision.status(handleOn(server.url))).toMatchObject({
          status,
          state,
          queuePosition: 2,
        });
    },
  );
  for (const error of ['too dark, ü', { message: 'too dark, ü' }])
    await overBytes(
      () => ({ json: { status: 'COMPLETED', error } }),
      async ({ upstream, server }) =>
        expect(await upstream.vision.status(handleOn(server.url))).toMatchObject({
          state: 'failed',
          error: 'too dark, ü',
        }),
    );
});

test(onBytes('VIS-025'), () =>
  overBytes(
    () => ({ json: { status: 'COMPLETED', output: TEXT } }),
    async ({ upstream: { vision }, server }) => {
      const handle = handleOn(server.url);
      await vision.status(handle);
      await vision.cancel(handle);
      expect(await vision.result(handle)).toMatchObject({ state: 'done', value: { output: TEXT } });
      expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
        ['GET', '/jobs/r-1/state?x=1'],
        ['POST', '/jobs/r-1/stop'],
        ['GET', '/jobs/r-1/outcome'],
      ]);
      for (const { headers } of server.requests) expect(headers['x-api-key']).toBe(KEY);
    },
  ),
);

test(onBytes('VIS-026'), () =>
  overBytes(
    () => ({ status: 202, json: HANDLE('https://storage.example') }),
    async ({ upstream, server }) => {
      await expect(upstream.vision.submit(BOAT)).rejects.toMatchObject({ code: 'foreign_origin' });
      for (const origin of ['https://storage.example', server.url.replace('//', '//user:x@'), 'nonsense'])
        await expect(upstream.vision.status(handleOn(origin))).rejects.toMatchObject({
          code: 'foreign_origin',
        });
      await expect(upstream.vision.result(handleOn('https://x.example'))).rejects.toMatchObject({
        code: 'foreign_origin',
      });
      await expect(upstream.vision.cancel(handleOn('https://x.example'))).rejects.toMatchObject({
        code: 'foreign_origin',
      });
      expect(server.requests).toHaveLength(1);
    },
  ),
);

test(onBytes('VIS-027'), async () => {
  const jobs = [{ request_id: TEXT, status: 'IN_QUEUE', queue_position: 2 }];
  for (const json of [jobs, { requests: jobs }, { data: jobs }, { items: [...jobs, null] }])
    await overBytes(
      () => ({ json }),
      async ({ upstream, server }) => {
        expect(await upstream.vision.list()).toEqual([
          { requestId: TEXT, state: 'queued', status: 'IN_QUEUE', queuePosition: 2, error: undefined },
        ]);
        expect(server.requests).toMatchObject([{ method: 'GET', path: '/v2/inference/requests' }]);
      },
    );
  const models = [
    { id: TEXT, type: 'edit', pricing: { request: '0.05' } },
    null,
    { name: 'b', pricing: { request: 'x' } },
  ];
  for (const json of [models, { models }, { data: models }, { items: models }])
    await overBytes(
      () => ({ json }),
      async ({ upstream, server }) => {
        expect(await upstream.vision.models()).toEqual([
          { id: TEXT, operation: 'edit', price: '0.05' },
          { id: 'b', operation: undefined, price: undefined },
        ]);
        expect(server.requests).toMatchObject([{ method: 'GET', path: '/v2/inference/models' }]);
      },
    );
  const path = '/v2/inference/chat/completions';
  await overBytes(
    say,
    async ({ upstream, server }) => {
      expect((await upstream.chat.complete({ ...QUESTION, model: 'model-v' })).text).toBe(TEXT);
      expect((await upstream.chat.complete(QUESTION)).text).toBe(TEXT);
      expect(server.requests.map((request) => [request.method, request.path, request.body['model']])).toEqual(
        [
          ['POST', path, 'model-v'],
          ['POST', '/v1/chat/completions', 'model-a'],
        ],
      );
      expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
    },
    { visionChat: { model: 'model-v', path } },
  );
});

test(onBytes('VIS-030'), () =>
  overBytes(
    (_, count) => ({
      json: count < 3 ? { status: 'IN_PROGRESS' } : { video: { url: 'https://storage.example/ü' } },
    }),
    async ({ upstream: { vision }, server }) => {
      const handle = handleOn(server.url);
      expect((await vision.result(handle)).state).toBe('running');
      expect((await vision.status(handle)).state).toBe('running');
      expect(await vision.result(handle)).toMatchObject({
        state: 'done',
        value: { video: { url: 'https://storage.example/ü' } },
      });
    },
  ),
);

test(onBytes('VIS-032'), async () => {
  const forms = [
    { json: errorBody('x', 'bad') },
    { json: { error: 'No.' } },
    { json: { detail: 'No.' } },
    { text: '<p>No.</p>' },
  ];
  for (const form of forms) {
    await overBytes(
      () => ({ status: 400, ...form }),
      async ({ upstream }) =>
        expect(upstream.vision.submit(BOAT)).rejects.toMatchObject({
          kind: 'bad-request',
          message: expect.stringContaining('No.'),
        }),
    );
  }
});
