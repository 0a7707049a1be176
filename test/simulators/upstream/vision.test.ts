import { describe, expect, test } from '@jest/globals';
import { pick, send, standing } from './test-client.ts';
import type { Send, Seen } from './test-client.ts';
import { createControl } from './control.ts';
import type { UpstreamCore } from './core.ts';
import { deliverDue } from './deliver.ts';
import type { JsonObject } from './json.ts';

const path = '/v2/inference/model-a-video/image-to-video';
const key = { 'x-api-key': 'sim-key-local', host: 'vision.test' };
const input = { prompt: 'make it move', image_url: 'https://x/y.png', anything: { else: 1 } };

function setup() {
  const { core, at } = standing();
  const control = createControl(() => core);
  control.setKey({ key: 'twin', user: 'local' });
  control.setKey({ key: 'other', user: 'someone' });
  return { core, at, control };
}

function submit(core: UpstreamCore, patch: JsonObject = {}, headers: Record<string, string> = {}): Seen {
  return send(core, { path, headers: { ...key, ...headers }, body: { input, ...patch } });
}

/** Follows an address of a handle. */
function follow(core: UpstreamCore, url: unknown, more: Send = {}): Seen {
  const { pathname, search, host } = new URL(String(url));
  expect(host).toBe('vision.test');
  return send(core, { path: pathname + search, headers: key, ...more });
}

describe('submitting', () => {
  test('VIS-001 VIS-003 VIS-005 VIS-006 VIS-011 VIS-012 VIS-013 GEN-009 returns a handle, with either credential', () => {
    const { core, control } = setup();
    const { status, json } = submit(core);
    expect([status, pick(json, 'status')]).toEqual([202, 'IN_QUEUE']);
    for (const name of ['request_id', 'status_url', 'response_url', 'cancel_url'])
      expect(typeof pick(json, name)).toBe('string');
    expect(control.jobs()[0]?.input).toEqual(input);
    expect(send(core, { path, body: { input } }).status).toBe(202);
    expect(send(core, { path, headers: {}, body: { input } }).status).toBe(401);
  });

  test.each<[string, JsonObject, number]>([
    ['VIS-004 no input', { input: undefined }, 400],
    ['VIS-004 input that is a list', { input: [] }, 400],
    ['VIS-007 VIS-008 an empty webhook', { webhook_url: '' }, 400],
    ['VIS-007 a webhook that is not a URI', { webhook_url: 'hello' }, 400],
    ['VIS-008 a webhook of 2084', { webhook_url: `https://x/${'a'.repeat(2084 - 10)}` }, 400],
    ['VIS-008 a webhook of 2083', { webhook_url: `https://x/${'a'.repeat(2083 - 10)}` }, 202],
    ['VIS-010 a webhook that is null', { webhook_url: null }, 202],
  ])('%s VIS-032', (_title, patch, status) => {
    expect(submit(setup().core, patch).status).toBe(status);
  });

  test('VIS-002 an unknown model is 404', () => {
    const { core } = setup();
    expect(
      send(core, { path: path.replace('model-a-video', 'nope'), headers: key, body: { input } }).status,
    ).toBe(404);
  });

  test('VIS-015 VIS-016 VIS-017 VIS-018 VIS-019 VIS-022 VIS-023 with an idempotency key returns the same response, per user, for a day', () => {
    const { core, at, control } = setup();
    const once = { 'idempotency-key': 'k1' };
    const first = submit(core, {}, once).json;
    at.now += 60_000;
    expect(submit(core, {}, once).json).toEqual(first);
    expect(submit(core, { input: { prompt: 'another' } }, { ...once, 'x-api-key': 'twin' }).json).toEqual(
      first,
    );
    expect([control.jobs().length, control.metered().length]).toEqual([1, 1]);
    expect(submit(core, {}, { ...once, 'x-api-key': 'other' }).json).not.toEqual(first);
    control.change({ idempotency: 'conflict' });
    expect(submit(core, { input: { prompt: 'another' } }, once).status).toBe(409);
    at.now += 24 * 60 * 60 * 1000;
    expect(submit(core, {}, once).json).not.toEqual(first);
  });
});

describe('a job', () => {
  test('VIS-024 VIS-025 VIS-027 advances from the queue to its result with the clock', () => {
    const { core, at } = setup();
    const handle = submit(core).json;
    const status = (): unknown => pick(follow(core, pick(handle, 'status_url')).json, 'status');
    expect(status()).toBe('IN_QUEUE');
    at.now += core.state.settings.queueMs;
    expect(status()).toBe('IN_PROGRESS');
    expect(pick(follow(core, pick(handle, 'response_url')).json, 'output')).toBeNull();
    at.now += core.state.settings.runMs;
    expect(status()).toBe('COMPLETED');
    const { json } = follow(core, pick(handle, 'response_url'));
    const film = follow(core, pick(json, 'output', 'video', 'url'), { headers: {} });
    expect([film.status, film.headers['content-type'], film.text.slice(4, 8)]).toEqual([
      200,
      'video/mp4',
      'ftyp',
    ]);
    expect(pick(send(core, { path: '/v2/inference/requests', headers: key }).json, 'requests')).toHaveLength(
      1,
    );
    expect(pick(send(core, { path: '/v2/inference/models', headers: key }).json, 'models', 0, 'id')).toBe(
      'model-a-video',
    );
  });

  test('VIS-024 VIS-027 can be cancelled, can fail, and belongs to its owner', () => {
    const { core, at, control } = setup();
    const handle = submit(core).json;
    expect(follow(core, pick(handle, 'status_url'), { headers: { 'x-api-key': 'other' } }).status).toBe(404);
    const cancelled = follow(core, pick(handle, 'cancel_url'), { method: 'POST' });
    expect(cancelled.json).toMatchObject({ status: 'CANCELLED', output: null });
    const failing = submit(core, { input: { prompt: '[[sim:fail=too dark]] move' } }).json;
    at.now += 60_000;
    expect(follow(core, pick(failing, 'response_url')).json).toMatchObject({
      status: 'FAILED',
      error: 'too dark',
    });
    control.change({ endings: 'completed' });
    expect(follow(core, pick(failing, 'status_url')).json).toMatchObject({
      status: 'COMPLETED',
      error: 'too dark',
    });
  });

  test('VIS-027 has a chat response with it', () => {
    const { core } = setup();
    const body = { model: 'model-c', messages: [{ role: 'user', content: '1 + 1' }] };
    const { json, headers } = send(core, { path: '/v2/inference/chat/completions', headers: key, body });
    expect(pick(json, 'choices', 0, 'message', 'content')).toBe('1 + 1 = **2**');
    expect(headers['x-ratelimit-limit-requests']).toBeUndefined();
  });

  test('has a handle that may have another host or redirect', () => {
    const { core, control } = setup();
    control.change({ handleOrigin: 'https://evil.example' });
    expect(String(pick(submit(core).json, 'status_url'))).toMatch(/^https:\/\/evil\.example\//u);
    control.change({ handleOrigin: undefined });
    const handle = submit(core).json;
    control.addFault({
      fault: { kind: 'redirect', location: 'https://evil.example' },
      path: '/v2/inference/requests',
    });
    const { status, headers } = follow(core, pick(handle, 'status_url'));
    expect([status, headers['location']]).toEqual([302, 'https://evil.example']);
  });
});

describe('VIS-028 VIS-031 webhooks', () => {
  test.each<['fal' | 'status' | 'empty', unknown]>([
    [
      'fal',
      {
        request_id: expect.any(String),
        gateway_request_id: expect.any(String),
        status: 'OK',
        payload: expect.any(Object),
      },
    ],
    ['status', expect.objectContaining({ status: 'COMPLETED' })],
    ['empty', undefined],
  ])('in the form %s, at the end and not before', async (webhook, shape) => {
    const { core, at, control } = setup();
    control.change({ webhook });
    submit(core, { webhook_url: 'https://bot.example/hook' });
    const posted: [string, string][] = [];
    const post = async (url: string, body: string): Promise<number> => posted.push([url, body]) * 0 + 200;
    at.now += 9_999;
    await deliverDue(core.state, post);
    expect(posted).toEqual([]);
    at.now += 1;
    await deliverDue(core.state, post);
    await deliverDue(core.state, post);
    expect(posted).toHaveLength(1);
    const body = posted[0]?.[1] ?? '';
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(shape);
  });

  test('are retried three times, then given up; a cancelled job sends one at once', async () => {
    const { core, at, control } = setup();
    const handle = submit(core, { webhook_url: 'https://bot.example/hook' }).json;
    follow(core, pick(handle, 'cancel_url'), { method: 'POST' });
    for (let minute = 0; minute < 10; minute += 1) {
      await deliverDue(core.state, async () => 500);
      at.now += 60_000;
    }
    expect(control.deliveries()).toMatchObject([{ attempts: 4, done: true, answers: [500, 500, 500, 500] }]);
    expect(JSON.parse(control.deliveries()[0]?.body ?? '')).toMatchObject({ status: 'ERROR' });
  });
});

describe('stored videos', () => {
  test('GEN-011 VID-001 VID-002 VID-004 VID-006 VID-007 VID-008 VID-009 VID-010 VID-011 VID-012 VID-013 VID-014 are found by id, with X-Api-Key only', () => {
    const { core, at } = setup();
    const uploaded = send(core, { path: '/v1/videos/upload', headers: key, body: {} }).json;
    const get = () =>
      send(core, { path: `/v1/videos/${String(pick(uploaded, 'video_id'))}`, headers: key }).json;
    expect(get()).toEqual({
      video_id: pick(uploaded, 'video_id'),
      url: expect.stringMatching(/^http:\/\/vision\.test\/files\/.+signature=/u),
      metadata: expect.objectContaining({ width: 160, height: 96, avg_fps: 10, duration: 3, title: null }),
      indexing_status: 'pending',
      indexing_type: 'fast_search',
      group_id: null,
    });
    at.now += core.state.settings.indexMs;
    expect(pick(get(), 'indexing_status')).toBe('indexing');
    at.now += core.state.settings.indexMs;
    expect(pick(get(), 'indexing_status')).toBe('indexed');
  });

  test('VID-003 VID-006 VID-007 VID-015 are 404 if unknown, and may have null fields', () => {
    const { core, control } = setup();
    expect(send(core, { path: '/v1/videos/none', headers: key })).toMatchObject({
      status: 404,
      json: { error: {} },
    });
    control.addVideo({ id: 'bare/one' });
    expect(send(core, { path: '/v1/videos/bare%2Fone', headers: key }).json).toMatchObject({
      metadata: null,
      indexing_status: null,
    });
  });

  test('have a URL that is valid for an hour, without a key', () => {
    const { core, at } = setup();
    const url = pick(send(core, { path: '/v1/videos/upload', headers: key, body: {} }).json, 'url');
    expect(follow(core, url, { headers: {} }).status).toBe(200);
    expect(follow(core, url, { headers: key }).status).toBe(400);
    expect(follow(core, `${String(url)}0`, { headers: {} }).status).toBe(403);
    at.now += 3_600_001;
    expect(follow(core, url, { headers: {} }).status).toBe(403);
  });
});
