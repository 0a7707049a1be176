import { expect, test } from '@jest/globals';
import { createIdempotencyKey, type SubmitRequest } from '../../shared/upstream/index.ts';
import { pick, type Seen } from '../simulators/upstream/test-client.ts';
import type { JsonObject } from '../simulators/upstream/json.ts';
import { reply } from '../upstream/raw-server.ts';
import { KEY, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { HANDLE, errorBody } from './samples.ts';
import { bodyOf, outcomeOf, service } from './service.ts';

const { sim, send, client, last } = service();

const PATH = '/v2/inference/model-a-video/image-to-video';
const INPUT = { prompt: 'a boat', image_url: 'https://example.com/boat.png' };
const BOAT: SubmitRequest = { model: 'model-a-video', input: INPUT };

type Change = {
  readonly body?: JsonObject;
  readonly key?: string;
  readonly as?: string;
  readonly path?: string;
};

const submit = ({ body = {}, key, as, path = PATH }: Change = {}): Promise<Seen> =>
  send({
    path,
    headers: { 'x-api-key': as ?? sim().apiKey, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: { input: INPUT, ...body },
  });

const statuses = async (...bodies: readonly JsonObject[]): Promise<string[]> => {
  const all: string[] = [];
  for (const body of bodies) all.push(outcomeOf(await submit({ body })));
  return all;
};

const address = (length: number): string => `https://x.example/${'a'.repeat(length - 18)}`;

test(row('VIS-001'), async () => {
  await client().vision.submit(BOAT);
  expect([last().path, last().status]).toEqual([PATH, 202]);
  await expect(client().vision.submit({ ...BOAT, model: 'a/../b c' })).rejects.toMatchObject({ status: 404 });
  expect(last().path).toBe('/v2/inference/a%2F..%2Fb%20c/image-to-video');
});

test(row('VIS-002'), async () => {
  const { status, json } = await submit({ path: PATH.replace('model-a-video', 'other') });
  expect([status, json]).toEqual([
    404,
    {
      error: {
        message: expect.stringMatching(/./u),
        type: expect.stringMatching(/./u),
        param: null,
        code: null,
      },
    },
  ]);
});

test(row('VIS-003'), async () => {
  expect(await statuses({}, { webhook_url: 'https://x.example/1' })).toEqual(['202', '202']);
  await client().vision.submit(BOAT);
  expect(bodyOf(last())).toEqual({ input: INPUT });
  await client().vision.submit({ ...BOAT, webhookUrl: 'https://x.example/1' });
  expect(bodyOf(last())).toEqual({ input: INPUT, webhook_url: 'https://x.example/1' });
});

test(row('VIS-004'), async () => {
  const wrong = [undefined, null, [], 'x', 7].map((input) => ({ input }));
  expect(await statuses(...wrong)).toEqual(wrong.map(() => '400 input'));
});

test(row('VIS-005'), async () => {
  await client().vision.submit(BOAT);
  expect(pick(last().body, 'input', 'prompt')).toBe('a boat');
  expect(sim().control.jobs()[0]?.input).toMatchObject({ prompt: 'a boat' });
});

test(row('VIS-006'), async () => {
  const input = { start_image_url: 'data:image/png;base64,AAAA', duration: 5, more: { deep: [null, 'ü'] } };
  await client().vision.submit({ ...BOAT, input });
  expect(sim().control.jobs()[0]?.input).toEqual(input);
});

test(row('VIS-007'), async () => {
  const wrong = ['hello', 7, {}].map((webhook_url) => ({ webhook_url }));
  expect(await statuses(...wrong)).toEqual(wrong.map(() => '400 webhook_url'));
  expect(await statuses({ webhook_url: 'https://x.example/1?a=b' }, { webhook_url: null })).toEqual([
    '202',
    '202',
  ]);
  await expect(client().vision.submit({ ...BOAT, webhookUrl: 'hello' })).rejects.toMatchObject({
    code: 'bad_webhook_url',
  });
});

test(row('VIS-008'), async () => {
  const urls = ['', address(2083), address(2084)];
  expect(urls.map(({ length }) => length)).toEqual([0, 2083, 2084]);
  expect(await statuses(...urls.map((webhook_url) => ({ webhook_url })))).toEqual([
    '400 webhook_url',
    '202',
    '400 webhook_url',
  ]);
});

test(row('VIS-009'), async () => {
  await expect(client().vision.submit({ ...BOAT, webhookUrl: address(2084) })).rejects.toMatchObject({
    kind: 'bad-request',
    code: 'bad_webhook_url',
  });
  expect(sim().journal).toHaveLength(0);
  expect((await client().vision.submit({ ...BOAT, webhookUrl: address(2083) })).status).toBe('IN_QUEUE');
});

test(row('VIS-010'), async () => {
  const [without, none] = [await submit(), await submit({ body: { webhook_url: null } })];
  expect([without.status, none.status]).toEqual([202, 202]);
  sim().control.advance(60_000);
  expect(sim().control.deliveries()).toEqual([]);
});

test(row('VIS-011'), async () => {
  const { status, json } = await submit();
  expect([status, typeof pick(json, 'request_id')]).toEqual([202, 'string']);
});

test(row('VIS-012'), async () => {
  const { json } = await submit();
  expect(json).toEqual({
    request_id: expect.any(String),
    status: expect.any(String),
    status_url: expect.stringMatching(/^http/u),
    response_url: expect.stringMatching(/^http/u),
    cancel_url: expect.stringMatching(/^http/u),
  });
  const { requestId, statusUrl, responseUrl, cancelUrl } = await client().vision.submit(BOAT);
  for (const url of [statusUrl, responseUrl, cancelUrl]) expect(url).toContain(requestId);
  for (const name of ['request_id', 'status_url', 'response_url', 'cancel_url']) {
    await withServer(
      (socket) => reply(socket, 202, { ...HANDLE('http://x.example'), [name]: null }),
      async ({ server }) => {
        const lacking = client({ visionUrl: server.url }).vision.submit(BOAT);
        await expect(lacking).rejects.toMatchObject({ kind: 'malformed', code: 'bad_handle' });
      },
    );
  }
});

test(row('VIS-013'), async () => {
  expect(pick((await submit()).json, 'status')).toBe('IN_QUEUE');
});

test(row('VIS-014'), async () => {
  for (const status of [200, 201, 202]) {
    let origin = '';
    await withServer(
      (socket) => reply(socket, status, HANDLE(origin)),
      async ({ server }) => {
        origin = server.url;
        const handle = await client({ visionUrl: server.url }).vision.submit(BOAT);
        expect(handle.requestId).toBe('r-1');
      },
    );
  }
});

test(row('VIS-015'), async () => {
  expect((await submit()).status).toBe(202);
  for (const key of ['k', 'a b; c=1', 'x'.repeat(300)]) expect((await submit({ key })).status).toBe(202);
  await client().vision.submit(BOAT);
  expect(last().headers).not.toHaveProperty('idempotency-key');
  await client().vision.submit({ ...BOAT, idempotencyKey: 'k-1' });
  expect(last().headers['idempotency-key']).toBe('k-1');
});

test(row('VIS-016'), async () => {
  const [first, again, other] = [
    await submit({ key: 'k' }),
    await submit({ key: 'k' }),
    await submit({ key: 'l' }),
  ];
  expect([again.status, again.text]).toEqual([202, first.text]);
  expect(other.text).not.toBe(first.text);
  sim().control.advance(60_000);
  expect((await submit({ key: 'k' })).text).toBe(first.text);
});

test(row('VIS-017'), async () => {
  for (let n = 0; n < 3; n += 1) await submit({ key: 'k' });
  expect(sim().control.jobs()).toHaveLength(1);
  await submit();
  expect(sim().control.jobs()).toHaveLength(2);
});

test(row('VIS-018'), async () => {
  for (let n = 0; n < 3; n += 1) await submit({ key: 'k' });
  expect(sim().meter.map(({ kind }) => kind)).toEqual(['video']);
});

test(row('VIS-019'), async () => {
  sim().control.setKey({ key: 'ada-1', user: 'ada' });
  sim().control.setKey({ key: 'ada-2', user: 'ada' });
  sim().control.setKey({ key: 'bob-1', user: 'bob' });
  const ada = await submit({ key: 'k', as: 'ada-1' });
  expect((await submit({ key: 'k', as: 'ada-2' })).text).toBe(ada.text);
  expect((await submit({ key: 'k', as: 'bob-1' })).text).not.toBe(ada.text);
  expect(sim().control.jobs()).toHaveLength(2);
});

test(row('VIS-020'), async () => {
  let origin = '';
  await withServer(
    (socket, _, count) =>
      count === 1
        ? reply(socket, 503, {})
        : count === 2
          ? void socket.destroy()
          : reply(socket, 202, HANDLE(origin)),
    async ({ server }) => {
      origin = server.url;
      const upstream = client({ visionUrl: server.url });
      await upstream.vision.submit({ ...BOAT, idempotencyKey: 'k-1' });
      expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', 'k-1', 'k-1']);
    },
  );
});

test(row('VIS-021'), () => {
  const of = (...parts: string[]): string => createIdempotencyKey(...parts);
  expect(of('install', 'T1', 'C1', '1.2', 'animate')).toBe(of('install', 'T1', 'C1', '1.2', 'animate'));
  const others = [of('install', 'T1', 'C1', '1.3', 'animate'), of('install', 'T1C1', '', '1.2', 'animate')];
  expect(new Set([of('install', 'T1', 'C1', '1.2', 'animate'), ...others]).size).toBe(3);
  expect(of('install')).toMatch(/^[\x21-\x7e]{16,}$/u);
});

test(row('VIS-022'), async () => {
  const first = await submit({ key: 'k' });
  const other = { key: 'k', body: { input: { prompt: 'a train' } } };
  expect((await submit(other)).text).toBe(first.text);
  sim().control.change({ idempotency: 'conflict' });
  expect([(await submit(other)).status, (await submit({ key: 'k' })).status]).toEqual([409, 202]);
});

test(row('VIS-023'), async () => {
  const first = await submit({ key: 'k' });
  sim().control.advance(24 * 60 * 60_000 - 1);
  expect((await submit({ key: 'k' })).text).toBe(first.text);
  sim().control.advance(1);
  expect((await submit({ key: 'k' })).text).not.toBe(first.text);
});

test(row('VIS-032'), async () => {
  const forms: readonly unknown[] = [
    errorBody('x', 'bad'),
    { error: 'No.' },
    { detail: 'No.' },
    'No.',
    '<p>No.</p>',
  ];
  for (const form of forms) {
    await withServer(
      (socket) => reply(socket, 400, form),
      async ({ server }) => {
        const upstream = client({ visionUrl: server.url, apiKey: () => Promise.resolve(KEY) });
        await expect(upstream.vision.submit(BOAT)).rejects.toMatchObject({
          kind: 'bad-request',
          message: expect.stringContaining('No.'),
        });
      },
    );
  }
});
