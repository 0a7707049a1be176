import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOCALES } from '../../shared/i18n/index.ts';
import { createVideoCard, findStoredVideo, lookUpVideo } from '../../shared/video/find-stored-video.ts';
import { renderCard as drawInDiscord } from '../../shared/platforms/discord/blocks/card-components.ts';
import { renderCard } from '../../shared/platforms/slack/blocks/card-blocks.ts';
import {
  BadRequestError,
  createUpstream,
  RateLimitedError,
  ServerError,
} from '../../shared/upstream/index.ts';
import { videosDisabled } from '../../shared/ports/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../simulators/upstream/index.ts';
import { TestTime } from '../upstream/time.ts';
import { thread, VideoHarness } from './video-harness.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0 });
});
afterAll(() => sim.close());

/** The data of a video in the simulated service. */
async function findVideo(id: string) {
  const { vision } = createUpstream({
    baseUrl: sim.visionUrl,
    visionUrl: sim.visionUrl,
    apiKey: () => Promise.resolve(sim.apiKey),
    time: new TestTime(),
    random: () => 0.5,
  });
  const w = new VideoHarness();
  w.vision = { ...w.vision, video: vision.video };
  return findStoredVideo(id, thread, w.context());
}

const STORED = {
  title: 'A lighthouse',
  thumbnail: 'https://files.example.com/one.jpg',
  thumbnails: 'https://files.example.com/storyboard.vtt',
};

test('a stored video is shown with indexing, size, length, thumbnail, storyboard and link', async () => {
  sim.control.addVideo({ id: 'v-1', metadata: STORED, indexing: 'indexed', indexingType: 'reels' });
  const video = await findVideo(' v-1 ');
  if (!video) throw new Error('nothing is known');
  const card = createVideoCard(video, 'en');
  const text = JSON.stringify(card);
  for (const fact of [
    'A lighthouse',
    'indexed, reels',
    '160 × 96',
    '3 s',
    STORED.thumbnail,
    STORED.thumbnails,
  ])
    expect(text).toContain(fact);
  // Everybody who sees the URL can play the video, without a key.
  const address = /\[Play it\]\((http[^)]+)\)/u.exec(text)?.[1] ?? '';
  const film = await fetch(address.replace('http://simulator.invalid', sim.visionUrl));
  expect([film.status, film.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  await film.body?.cancel();
  // Missing fields are omitted.
  const metadata = { ...video.metadata, avgFps: undefined };
  const without = JSON.stringify(createVideoCard({ ...video, metadata }, 'en'));
  expect(without).not.toMatch(/undefined|Frames/u);
  for (const locale of LOCALES) {
    expect(JSON.stringify(renderCard(createVideoCard(video, locale)))).toContain(STORED.thumbnails);
    expect(JSON.stringify(drawInDiscord(createVideoCard(video, locale)))).toContain(STORED.thumbnails);
  }
});

test('missing metadata is left out; an unknown id gives nothing', async () => {
  sim.control.addVideo({ id: 'v-2', indexing: 'pending' });
  const video = await findVideo('v-2');
  if (!video) throw new Error('nothing is known');
  expect(createVideoCard(video, 'en').title).toBe('v-2');
  expect(JSON.stringify(createVideoCard(video, 'en'))).toContain('pending');
  expect(await findVideo('v-3')).toBeUndefined();
  expect(await findVideo('../../v2/inference/requests')).toBeUndefined();
});

test.each([
  ['the service has an error', new ServerError('down', { status: 500 }), /internal error/u],
  ['the service rejects the id', new BadRequestError('no', { status: 400 }), /no video with this id/u],
  [
    'the requests of the day are used up',
    new RateLimitedError('no', { status: 429, retryAfterMs: 1 }),
    /takes no more now/u,
  ],
])('if %s, the person is told at once', async (_, error, words) => {
  const w = new VideoHarness();
  w.vision = { ...w.vision, video: () => Promise.reject(error) };
  expect(JSON.stringify(await lookUpVideo('v-1', thread, 'en', w.context()))).toMatch(words);
});

test('where videos are not set up, the person is told so', async () => {
  const context = new VideoHarness().context();
  const videos = videosDisabled(context.videos);
  expect(JSON.stringify(await lookUpVideo('v-1', thread, 'en', { ...context, videos }))).toContain(
    'not set up here',
  );
});

test('the frame rate has at most two decimals, in the format of the language', () => {
  const video = { videoId: 'v-1', url: 'https://files.example.com/v', metadata: { avgFps: 29.97002997 } };
  expect(JSON.stringify(createVideoCard(video, 'de'))).toContain('"29,97"');
});
