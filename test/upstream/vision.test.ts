import { describe, expect, test } from '@jest/globals';
import type { RateLimitInfo } from '../../shared/upstream/index.ts';
import { reply } from './raw-server.ts';
import { asUpstreamError, KEY, withServer, withVision } from './raw-server-harness.ts';

const webhookOf = (length: number): string => `https://bot.example/${'x'.repeat(length - 20)}`;
const origin = (headers: Readonly<Record<string, string>>): string => `http://${headers['host'] ?? ''}`;
const handleFrom = (base: string): object => ({
  request_id: 'job-1',
  status: 'IN_QUEUE',
  status_url: `${base}/v2/inference/requests/job-1/status`,
  response_url: `${base}/v2/inference/requests/job-1`,
  cancel_url: `${base}/v2/inference/requests/job-1/cancel`,
});

describe('a video job', () => {
  test('is submitted, followed through its own links, and cancelled', async () => {
    await withVision(
      (socket, { method, path, headers }) => {
        if (path.endsWith('image-to-video')) reply(socket, 202, handleFrom(origin(headers)));
        else if (path.endsWith('status'))
          reply(socket, 200, { request_id: 'job-1', status: 'IN_PROGRESS', queue_position: 2 });
        else if (path.endsWith('cancel')) reply(socket, 200, { status: 'CANCELLED' });
        else if (method === 'GET' && path === '/v2/inference/requests')
          reply(socket, 200, { requests: [{ request_id: 'job-1' }] });
        else reply(socket, 200, { video: { url: 'https://cdn.example/v.mp4' } });
      },
      async ({ upstream: { vision }, server }) => {
        const input = { prompt: 'Waves', image_url: 'https://files.example/i.png' };
        const handle = await vision.submit({
          model: 'a/b',
          input,
          webhookUrl: 'https://bot.example/w/1',
          idempotencyKey: 'k-1',
        });
        expect(handle).toMatchObject({ requestId: 'job-1', status: 'IN_QUEUE' });
        expect(await vision.status(handle)).toEqual({
          state: 'running',
          status: 'IN_PROGRESS',
          queuePosition: 2,
        });
        expect(await vision.result(handle)).toMatchObject({
          state: 'done',
          value: { video: { url: 'https://cdn.example/v.mp4' } },
        });
        expect(await vision.cancel(handle)).toMatchObject({ state: 'cancelled' });
        expect(await vision.list()).toEqual([{ requestId: 'job-1', state: 'unknown', status: '' }]);
        expect(server.requests[0]).toMatchObject({
          method: 'POST',
          path: '/v2/inference/a%2Fb/image-to-video',
          headers: { 'x-api-key': KEY, 'idempotency-key': 'k-1' },
          body: { input, webhook_url: 'https://bot.example/w/1' },
        });
        expect(server.requests.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual([
          'GET /v2/inference/requests/job-1/status',
          'GET /v2/inference/requests/job-1',
          'POST /v2/inference/requests/job-1/cancel',
          'GET /v2/inference/requests',
        ]);
      },
    );
  });

  test('that is completed with an error has failed', async () => {
    await withVision(
      (socket) => reply(socket, 200, { status: 'COMPLETED', error: { message: 'unsafe' } }),
      async ({ upstream: { vision }, server }) => {
        const link = `${server.url}/x`;
        const handle = { requestId: 'j', status: '', statusUrl: link, responseUrl: link, cancelUrl: link };
        expect(await vision.status(handle)).toMatchObject({ state: 'failed', error: 'unsafe' });
        expect(await vision.result(handle)).toMatchObject({ state: 'failed' });
      },
    );
  });

  test.each([
    ['elsewhere', 'https://evil.example'],
    ['to another port', 'http://127.0.0.1:1'],
    ['to a name before an @', 'http://127.0.0.1@evil.example'],
    ['nowhere', 'not a link'],
  ])('whose links lead %s is rejected, and the key is not sent there', async (_, base) => {
    await withVision(
      (socket) => reply(socket, 202, handleFrom(base)),
      async ({ upstream: { vision }, server }) => {
        await expect(vision.submit({ model: 'm', input: {} })).rejects.toMatchObject({
          kind: 'malformed',
          code: 'foreign_origin',
        });
        const handle = { requestId: 'j', status: '', statusUrl: base, responseUrl: base, cancelUrl: base };
        await expect(vision.status(handle)).rejects.toMatchObject({ code: 'foreign_origin' });
        await expect(vision.result(handle)).rejects.toMatchObject({ code: 'foreign_origin' });
        await expect(vision.cancel(handle)).rejects.toMatchObject({ code: 'foreign_origin' });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('is not followed through a redirect', async () => {
    await withVision(
      (socket) => reply(socket, 302, '', { location: '/elsewhere' }),
      async ({ upstream: { vision }, server }) => {
        const handle = {
          requestId: 'j',
          status: '',
          statusUrl: server.url,
          responseUrl: server.url,
          cancelUrl: server.url,
        };
        await expect(vision.status(handle)).rejects.toMatchObject({ kind: 'malformed', code: 'redirect' });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test.each([
    ['with a key', 'k-1', 2],
    ['without a key', undefined, 1],
  ])('whose handle was cut is requested %s', async (_, idempotencyKey, requests) => {
    await withVision(
      (socket, { headers }, count) => {
        if (count === 1) {
          reply(socket, 202, '{', { 'content-length': '100' });
          socket.end();
        } else reply(socket, 200, handleFrom(origin(headers)));
      },
      async ({ upstream: { vision }, server }) => {
        const outcome = await vision.submit({ model: 'm', input: {}, idempotencyKey }).then(
          ({ status }) => status,
          (error: unknown) => asUpstreamError(error).kind,
        );
        expect(outcome).toBe(requests === 2 ? 'IN_QUEUE' : 'cut');
        expect(server.requests).toHaveLength(requests);
        expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(
          Array(requests).fill(idempotencyKey),
        );
      },
    );
  });

  test('with a callback URL that is too long is not sent', async () => {
    await withVision(
      (socket, { headers }) => reply(socket, 202, handleFrom(origin(headers))),
      async ({ upstream: { vision }, server }) => {
        await expect(
          vision.submit({ model: 'm', input: {}, webhookUrl: webhookOf(2084) }),
        ).rejects.toMatchObject({
          code: 'bad_webhook_url',
        });
        await vision.submit({ model: 'm', input: {}, webhookUrl: webhookOf(2083) });
        expect(server.requests).toHaveLength(1);
      },
    );
  });
});

test('a video is parsed with its metadata', async () => {
  const video = {
    video_id: 'v/1',
    url: 'https://store.example/v?sig=s',
    metadata: {
      width: 640,
      height: null,
      avg_fps: 23.976,
      video_start_timestamp_utc_ms: 1_700_000_000_000,
      thumbnails: 'https://x/t.vtt',
    },
    indexing_status: 'reticulating',
    indexing_type: null,
  };
  await withVision(
    (socket, _, count) => reply(socket, 200, count === 1 ? video : {}),
    async ({ upstream: { vision }, server }) => {
      expect(await vision.video('v/1')).toEqual({
        videoId: 'v/1',
        url: 'https://store.example/v?sig=s',
        metadata: {
          width: 640,
          avgFps: 23.976,
          startTimestampMs: 1_700_000_000_000,
          thumbnails: 'https://x/t.vtt',
        },
        indexingStatus: 'reticulating',
      });
      expect(server.requests[0]).toMatchObject({
        method: 'GET',
        path: '/v1/videos/v%2F1',
        headers: { authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
      });
      await expect(vision.video('v')).rejects.toMatchObject({ kind: 'malformed' });
    },
  );
});

describe('uploads, searches and clips', () => {
  test('are passed through unchanged', async () => {
    await withVision(
      (socket) => reply(socket, 200, { hits: [1] }),
      async ({ upstream: { vision }, server }) => {
        expect(await vision.call('videos/search', { json: { query: 'cats' } })).toEqual({ hits: [1] });
        await vision.call('images/upload', { bytes: Buffer.from('PNG'), contentType: 'image/png' });
        expect(
          server.requests.map(({ path, headers }) => [
            path,
            headers['content-type'],
            headers['content-length'],
          ]),
        ).toEqual([
          ['/v1/videos/search', 'application/json', '16'],
          ['/v1/images/upload', 'image/png', '3'],
        ]);
      },
    );
  });

  test('stop at their rolling window without a request, until its first request is a day old', async () => {
    const headers = {
      'x-ratelimit-requests-limit': '10',
      'x-ratelimit-requests-remaining': '9',
      'x-ratelimit-requests-reset': '86400',
      'retry-after': '0',
    };
    const infos: RateLimitInfo[] = [];
    await withVision(
      (socket) => reply(socket, 200, {}, headers),
      async ({ upstream: { vision }, server, time }) => {
        for (let clip = 0; clip < 10; clip += 1) {
          await vision.call('clips', { json: {} }, { onRateLimit: (limits) => infos.push(limits) });
          time.advance(60_000);
        }
        expect(infos[0]).toEqual({
          status: 200,
          limit: 10,
          remaining: 9,
          resetMs: 86_400_000,
          retryAfterMs: 0,
        });
        const rejection = vision.call('clips', { json: {} });
        await expect(rejection).rejects.toMatchObject({
          kind: 'rate-limited',
          code: 'window_full',
          retryAfterMs: 86_400_000 - 600_000,
        });
        await vision.call('images/search', { json: {} });
        expect(server.requests).toHaveLength(11);
        time.advance(86_400_000 - 600_000);
        await vision.call('clips', { json: {} });
        await expect(vision.call('clips', { json: {} })).rejects.toMatchObject({ code: 'window_full' });
      },
    );
  });

  test('refused for a day by the service are not waited for', async () => {
    await withVision(
      (socket) =>
        reply(
          socket,
          429,
          { error: { code: 'rate_limit_exceeded', message: 'x' } },
          { 'retry-after': '7200' },
        ),
      async ({ upstream: { vision }, server }) => {
        await expect(vision.call('clips', { json: {} })).rejects.toMatchObject({
          kind: 'rate-limited',
          retryAfterMs: 7_200_000,
        });
        expect(server.requests).toHaveLength(1);
      },
    );
  });
});

test('without a configured URL of the vision service its methods reject', async () => {
  await withServer(
    (socket) => reply(socket, 200, {}),
    async ({ upstream }) => {
      await expect(upstream.vision.video('v')).rejects.toMatchObject({
        kind: 'bad-request',
        code: 'no_vision_url',
      });
    },
  );
});
