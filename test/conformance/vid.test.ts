import { expect, test } from '@jest/globals';
import { pick, type Seen } from '../simulators/upstream/test-client.ts';
import { isInteger, type JsonObject } from '../simulators/upstream/json.ts';
import { reply } from '../upstream/raw-server.ts';
import { withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { errorBody, VIDEO } from './samples.ts';
import { service } from './service.ts';

const { sim, send, client, last } = service();

const METADATA = {
  width: 640,
  height: 360,
  avg_fps: 29.97,
  duration: 4.5,
  video_name: 'boat.mp4',
  title: 'Boat',
  description: 'A boat.',
  source: '/in/boat.mp4',
  video_start_timestamp_utc_ms: 1_700_000_000_123,
  thumbnail: 'https://example.com/t.png',
  thumbnails: 'https://example.com/t.vtt',
};

/** What the simulator shows of this video. */
async function showVideo(video: Parameters<ReturnType<typeof sim>['control']['addVideo']>[0]): Promise<Seen> {
  sim().control.addVideo(video);
  return send({ path: `/v1/videos/${video.id}`, headers: { 'x-api-key': sim().apiKey } });
}

/** Whether the simulator refuses to store a video with each of these values of a field of its metadata. */
async function isRefused(name: string, values: readonly unknown[]): Promise<boolean> {
  for (const value of values) {
    const body = { id: 'v-9', metadata: { ...METADATA, [name]: value } };
    const { status } = await send({ path: '/__sim/videos', method: 'POST', headers: {}, body });
    if (status !== 400) return false;
  }
  const { status } = await send({ path: '/v1/videos/v-9', headers: { 'x-api-key': sim().apiKey } });
  return status === 404;
}

/** What the client makes of this body. */
const read = (body: JsonObject) =>
  withServer(
    (socket) => reply(socket, 200, body),
    async ({ server }) => client({ visionUrl: server.url }).vision.video('v-1'),
  );

test(row('VID-001'), async () => {
  const id = 'a/b ?ü';
  sim().control.addVideo({ id });
  expect((await client().vision.video(id)).videoId).toBe(id);
  expect(last()).toMatchObject({ method: 'GET', path: '/v1/videos/a%2Fb%20%3F%C3%BC', body: '' });
});

test(row('VID-002'), async () => {
  const { status, json } = await showVideo({ id: 'v-1' });
  expect([status, pick(json, 'video_id')]).toEqual([200, 'v-1']);
});

test(row('VID-003'), async () => {
  expect((await send({ path: '/v1/videos/none', headers: { 'x-api-key': sim().apiKey } })).status).toBe(404);
  await expect(client().vision.video('none')).rejects.toMatchObject({ kind: 'not-found', status: 404 });
});

test(row('VID-004'), async () => {
  const { json } = await showVideo({ id: 'v-1' });
  expect([typeof pick(json, 'video_id'), typeof pick(json, 'url')]).toEqual(['string', 'string']);
  expect(await read(VIDEO)).toMatchObject({ videoId: 'v-1', url: VIDEO.url });
  for (const name of ['video_id', 'url'])
    await expect(read({ ...VIDEO, [name]: null })).rejects.toMatchObject({ code: 'bad_video' });
});

test(row('VID-005'), async () => {
  // The client offers no way to fetch the address, so no key of its own can go there; the simulator would refuse one.
  sim().control.addVideo({ id: 'v-1' });
  const { vision } = client();
  const { url } = await vision.video('v-1');
  expect(sim().journal.map(({ path }) => path)).toEqual(['/v1/videos/v-1']);
  const path = url.slice(new URL(url).origin.length);
  expect((await send({ path, headers: {} })).status).toBe(200);
  expect((await send({ path })).status).toBe(400);
  const names = ['call', 'cancel', 'list', 'models', 'result', 'status', 'submit', 'video'];
  expect(Object.keys(vision).toSorted()).toEqual(names);
  await expect(read({ ...VIDEO, video_id: null })).rejects.not.toMatchObject({
    message: expect.stringContaining('signature'),
  });
});

test(row('VID-006'), async () => {
  expect(pick((await showVideo({ id: 'v-1', metadata: null })).json, 'metadata')).toBeNull();
  expect(pick((await showVideo({ id: 'v-2', metadata: METADATA })).json, 'metadata')).toMatchObject(METADATA);
  expect((await read({ ...VIDEO, metadata: null })).metadata).toBeUndefined();
});

test(row('VID-007'), async () => {
  for (const indexing of ['pending', 'indexing', 'indexed', 'failed', null] as const) {
    expect(pick((await showVideo({ id: 'v-1', indexing })).json, 'indexing_status')).toBe(indexing);
    expect((await client().vision.video('v-1')).indexingStatus).toBe(indexing ?? undefined);
  }
});

test(row('VID-008'), async () => {
  for (const indexingType of ['fast_search', 'qa_and_search', 'qa', 'reels', null] as const) {
    expect(pick((await showVideo({ id: 'v-1', indexingType })).json, 'indexing_type')).toBe(indexingType);
    expect((await client().vision.video('v-1')).indexingType).toBe(indexingType ?? undefined);
  }
});

test(row('VID-009'), async () => {
  for (const groupId of ['g-1', null]) {
    expect(pick((await showVideo({ id: 'v-1', groupId })).json, 'group_id')).toBe(groupId);
    expect((await client().vision.video('v-1')).groupId).toBe(groupId ?? undefined);
  }
});

test(row('VID-010'), async () => {
  const whole = await read({ ...VIDEO, metadata: METADATA });
  expect(whole.metadata).toMatchObject({
    avgFps: 29.97,
    videoName: 'boat.mp4',
    startTimestampMs: 1_700_000_000_123,
  });
  const nulls = Object.fromEntries(Object.keys(METADATA).map((name) => [name, null]));
  for (const metadata of [{}, nulls]) {
    const video = await read({ ...VIDEO, metadata });
    expect(Object.values(video.metadata ?? { lost: true }).every((value) => value === undefined)).toBe(true);
  }
  expect(pick((await showVideo({ id: 'v-1', metadata: nulls })).json, 'metadata')).toEqual(nulls);
});

test(row('VID-011'), async () => {
  const metadata = pick((await showVideo({ id: 'v-1', metadata: {} })).json, 'metadata');
  expect([isInteger(pick(metadata, 'width')), isInteger(pick(metadata, 'height'))]).toEqual([true, true]);
  expect([typeof pick(metadata, 'avg_fps'), typeof pick(metadata, 'duration')]).toEqual(['number', 'number']);
});

test(row('VID-012'), async () => {
  const metadata = pick((await showVideo({ id: 'v-1', metadata: METADATA })).json, 'metadata');
  expect(pick(metadata, 'video_start_timestamp_utc_ms')).toBe(1_700_000_000_123);
  expect(await isRefused('video_start_timestamp_utc_ms', [1.5, '1700000000123', true])).toBe(true);
});

test(row('VID-013'), async () => {
  const metadata = pick((await showVideo({ id: 'v-1', metadata: METADATA })).json, 'metadata');
  const names = ['video_name', 'title', 'description', 'source', 'thumbnail', 'thumbnails'];
  expect(names.map((name) => typeof pick(metadata, name))).toEqual(names.map(() => 'string'));
  for (const name of ['thumbnail', 'thumbnails'])
    expect(URL.canParse(String(pick(metadata, name)))).toBe(true);
  for (const name of names) expect(await isRefused(name, [7, ['x'], {}])).toBe(true);
  for (const name of ['thumbnail', 'thumbnails']) expect(await isRefused(name, ['t.png'])).toBe(true);
  expect(await isRefused('colour', ['red'])).toBe(true);
});

test(row('VID-014'), async () => {
  sim().control.addVideo({ id: 'v-1', indexing: 'by-clock' });
  const { vision } = client();
  const states: unknown[] = [];
  for (const ms of [0, 3_000, 3_000]) {
    sim().control.advance(ms);
    states.push((await vision.video('v-1')).indexingStatus);
  }
  expect(states).toEqual(['pending', 'indexing', 'indexed']);
  sim().control.addVideo({ id: 'v-1', indexing: 'pending' });
  expect((await vision.video('v-1')).indexingStatus).toBe('pending');
});

test(row('VID-015'), async () => {
  const forms: readonly unknown[] = [errorBody('x'), { error: 'No.' }, { detail: 'No.' }, 'No.'];
  for (const form of forms) {
    await withServer(
      (socket) => reply(socket, 403, form),
      async ({ server }) => {
        await expect(client({ visionUrl: server.url }).vision.video('v-1')).rejects.toMatchObject({
          kind: 'auth',
          message: expect.stringContaining('No.'),
        });
      },
    );
  }
});
