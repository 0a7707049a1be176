import { expect, test } from '@jest/globals';
import type { Video } from '../../shared/upstream/index.ts';
import { answerOf } from '../upstream/raw-server.ts';
import { QUESTION, asUpstreamError, KEY, readResponse } from '../upstream/raw-server-harness.ts';
import { overBytes, say, sends, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { recording, errorBody, VIDEO } from './samples.ts';

const METADATA = {
  width: 640,
  height: 360,
  avg_fps: 29.97,
  video_name: 'boat-ü.mp4',
  title: TEXT,
  video_start_timestamp_utc_ms: 1_700_000_000_123,
  duration: 4.5,
  thumbnail: 'https://example.com/t.png',
  thumbnails: 'https://example.com/t.vtt',
  description: 'A boat.',
  source: '/in/boat.mp4',
};

/** The client reads this video as that one. */
const reads = (json: object, expected: Partial<Video>): Promise<void> =>
  overBytes(
    () => ({ json }),
    async ({ upstream }) => expect(await upstream.vision.video('v-1')).toMatchObject(expected),
  );

for (const id of ['VID-001', 'GEN-010'])
  test(onBytes(id), () =>
    overBytes(
      () => ({ json: VIDEO }),
      async ({ upstream, server }) => {
        await upstream.vision.video('a/b ?ü');
        expect(server.requests).toMatchObject([
          { method: 'GET', path: '/v1/videos/a%2Fb%20%3F%C3%BC', body: {} },
        ]);
        expect(server.requests[0]?.headers).toMatchObject({
          authorization: `Bearer ${KEY}`,
          'x-api-key': KEY,
        });
        expect(server.requests[0]?.headers['content-length'] ?? '0').toBe('0');
      },
    ),
  );

test(onBytes('VID-003'), () =>
  overBytes(
    () => ({ status: 404, json: errorBody('x') }),
    async ({ upstream }) =>
      expect(upstream.vision.video('v-1')).rejects.toMatchObject({ kind: 'not-found', status: 404 }),
  ),
);

test(onBytes('VID-004'), async () => {
  await reads({ ...VIDEO, video_id: 'ü' }, { videoId: 'ü', url: VIDEO.url });
  for (const name of ['video_id', 'url'])
    await overBytes(
      () => ({ json: { ...VIDEO, [name]: null } }),
      async ({ upstream }) =>
        expect(upstream.vision.video('v-1')).rejects.toMatchObject({ kind: 'malformed', code: 'bad_video' }),
    );
});

test(onBytes('VID-005'), () =>
  overBytes(
    () => ({ json: { ...VIDEO, video_id: null } }),
    async ({ upstream, server }) => {
      const error: unknown = await upstream.vision.video('v-1').catch((reason: unknown) => reason);
      expect(asUpstreamError(error).message).not.toContain('signature');
      expect(server.requests).toHaveLength(1);
    },
  ),
);

test(onBytes('VID-006'), async () => {
  await reads({ ...VIDEO, metadata: null }, { metadata: undefined });
  await reads(VIDEO, { metadata: undefined });
});

test(onBytes('VID-007'), async () => {
  for (const status of ['pending', 'indexing', 'indexed', 'failed', 'dreaming'])
    await reads({ ...VIDEO, indexing_status: status }, { indexingStatus: status });
  await reads({ ...VIDEO, indexing_status: null }, { indexingStatus: undefined });
});

test(onBytes('VID-008'), async () => {
  for (const type of ['fast_search', 'qa_and_search', 'qa', 'reels', 'holographic'])
    await reads({ ...VIDEO, indexing_type: type }, { indexingType: type });
  await reads({ ...VIDEO, indexing_type: null }, { indexingType: undefined });
});

test(onBytes('VID-009'), async () => {
  await reads({ ...VIDEO, group_id: 'g-ü' }, { groupId: 'g-ü' });
  await reads({ ...VIDEO, group_id: null }, { groupId: undefined });
});

test(onBytes('VID-010'), async () => {
  const {
    avg_fps: avgFps,
    video_name: videoName,
    video_start_timestamp_utc_ms: startTimestampMs,
    ...same
  } = METADATA;
  const metadata = { ...same, avgFps, videoName, startTimestampMs };
  await reads({ ...VIDEO, metadata: METADATA }, { metadata });
  const nothing = Object.fromEntries(Object.keys(metadata).map((name) => [name, undefined]));
  const nulls = Object.fromEntries(Object.keys(METADATA).map((name) => [name, null]));
  for (const empty of [{}, nulls]) await reads({ ...VIDEO, metadata: empty }, { metadata: nothing });
});

test(onBytes('VID-014'), () =>
  overBytes(
    (_, count) => ({
      json: { ...VIDEO, indexing_status: ['indexed', 'pending', 'failed', 'indexing'][count - 1] },
    }),
    async ({ upstream }) => {
      const states: unknown[] = [];
      for (let n = 0; n < 4; n += 1) states.push((await upstream.vision.video('v-1')).indexingStatus);
      expect(states).toEqual(['indexed', 'pending', 'failed', 'indexing']);
    },
  ),
);

test(onBytes('VID-015'), async () => {
  for (const form of [
    { json: errorBody('x') },
    { json: { error: 'No.' } },
    { json: { detail: 'No.' } },
    { text: '<p>No.</p>' },
  ])
    await overBytes(
      () => ({ status: 403, ...form }),
      async ({ upstream }) =>
        expect(upstream.vision.video('v-1')).rejects.toMatchObject({
          kind: 'auth',
          message: expect.stringContaining('No.'),
        }),
    );
});

for (const id of ['GEN-001', 'GEN-002'])
  test(onBytes(id), async () => {
    await overBytes(
      ({ path, ...request }) => {
        if (path.includes('/videos/')) return { json: VIDEO };
        if (path.endsWith('/models')) return { json: { data: [] } };
        return path.includes('transcription') ? { json: { transcript: TEXT } } : say({ path, ...request }, 1);
      },
      async ({ upstream, server }) => {
        await upstream.chat.complete(QUESTION);
        await upstream.models.list();
        await upstream.speech.transcribe({ audio: recording() });
        await upstream.vision.video('v-1');
        for (const name of [
          'images/upload',
          'images/search',
          'videos/upload',
          'videos/search',
          'clips',
        ] as const)
          await upstream.vision.call(name, { json: {} });
        const [chat, models, speech, video, ...others] = server.requests.map(({ path }) => path);
        expect([chat, models, speech, video]).toEqual([
          '/v1/chat/completions',
          '/v1/models',
          '/v1/transcription_or_translation',
          '/v1/videos/v-1',
        ]);
        expect(others).toEqual([
          '/v1/images/upload',
          '/v1/images/search',
          '/v1/videos/upload',
          '/v1/videos/search',
          '/v1/clips',
        ]);
      },
    );
    await overBytes(
      say,
      async ({ upstream }) =>
        expect(upstream.vision.video('v-1')).rejects.toMatchObject({ code: 'no_vision_url' }),
      { visionUrl: undefined },
    );
  });

for (const id of ['GEN-004', 'GEN-006'])
  test(onBytes(id), () =>
    overBytes(
      (request) =>
        request.path === '/v1/models' ? { json: { data: [{ id: 'brand/new-ü' }] } } : say(request, 1),
      async ({ upstream, server }) => {
        const [model] = (await upstream.models.list()).models;
        await upstream.chat.complete({ ...QUESTION, model: model?.id ?? '' });
        expect(server.requests[1]?.body['model']).toBe('brand/new-ü');
      },
    ),
  );

for (const id of ['GEN-007', 'GEN-018'])
  test(onBytes(id), () =>
    overBytes(
      (request) => (request.path === '/v1/models' ? { json: { data: [] } } : say(request, 1)),
      async ({ upstream, server }) => {
        await upstream.chat.complete(QUESTION);
        await readResponse(upstream.chat.stream(QUESTION));
        await upstream.models.list();
        for (const { headers } of server.requests) {
          expect(headers['authorization']).toBe(`Bearer ${KEY}`);
          expect(headers).not.toHaveProperty('x-api-key');
        }
        expect(server.requests.map(({ headers }) => headers['content-type'])).toEqual([
          'application/json',
          'application/json',
          undefined,
        ]);
        expect(server.requests.map(({ headers }) => headers['accept'])).toEqual([
          'application/json',
          'text/event-stream',
          'application/json',
        ]);
      },
    ),
  );

test(onBytes('GEN-008'), async () => {
  await sends({}, {}, { shape: 'legacy' });
  await overBytes(
    () => ({ json: { transcript: TEXT } }),
    async ({ upstream, server }) => {
      await upstream.speech.transcribe({ audio: recording() });
      expect(server.requests[0]?.headers['x-api-key']).toBe(KEY);
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    },
    { shape: 'legacy' },
  );
});

const UNAUTHORIZED = { status: 401, json: errorBody('authentication_error') };

for (const id of ['GEN-012', 'GEN-013', 'GEN-014'])
  test(onBytes(id), () =>
    overBytes(
      () => UNAUTHORIZED,
      async ({ upstream, server, time }) => {
        const { error } = await readResponse(upstream.chat.stream(QUESTION, { standIns: ['model-b'] }));
        expect(asUpstreamError(error)).toMatchObject({ kind: 'auth', status: 401 });
        expect([server.requests.length, time.waits]).toEqual([1, []]);
        await expect(upstream.models.list()).rejects.toMatchObject({ kind: 'auth', status: 401 });
      },
    ),
  );

test(onBytes('GEN-019'), async () => {
  const requests: unknown[] = [];
  await overBytes(
    ({ headers }) =>
      headers['authorization'] === 'Bearer rotated' ? { events: answerOf(TEXT) } : UNAUTHORIZED,
    async ({ upstream, server }) => {
      requests.length = 0;
      expect((await readResponse(upstream.chat.stream(QUESTION))).end?.text).toBe(TEXT);
      expect(requests).toEqual([undefined, { refresh: true }]);
      expect(server.requests).toHaveLength(2);
    },
    {
      apiKey: async (how) => {
        requests.push(how);
        return how?.refresh === true ? 'rotated' : KEY;
      },
    },
  );
});
