import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { createServer } from 'node:http';
import * as v from 'valibot';
import { startBrowser } from '../browser/chromium.ts';

/** What a container parser finds in a video, up to its last frame; undefined if it finds none. */
export async function readVideo(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (!track) return undefined;
  const { packetCount: pictures } = await track.computePacketStats();
  const { displayWidth: width, displayHeight: height, codec } = track;
  return { codec, width, height, duration: await track.computeDuration(), pictures };
}

const playedShape = v.object({
  /** 4: enough data is loaded to play to the end. */
  readyState: v.number(),
  /** In seconds; null if it is not a video. */
  duration: v.nullable(v.number()),
  width: v.number(),
  height: v.number(),
  /** The reached position (s). */
  at: v.number(),
  error: v.nullable(v.string()),
});
export type PlaybackResult = v.InferOutput<typeof playedShape>;

/** Resolves once the video has ended, or cannot be played. */
const PLAY = `new Promise((resolve) => {
  const video = document.querySelector('video');
  const done = () => {
    const { readyState, duration, videoWidth: width, videoHeight: height, currentTime: at, error } = video;
    resolve({ readyState, duration, width, height, at, error: error && error.message });
  };
  video.addEventListener('ended', done);
  video.addEventListener('error', done);
  video.muted = true;
  video.play().catch(done);
})`;

/** Plays a video in a headless Chromium without sound. Rejects if there is no Chromium. */
export async function playVideo(film: Uint8Array): Promise<PlaybackResult> {
  const server = createServer((request, response) => {
    if (request.url === '/film') response.writeHead(200, { 'content-type': 'video/mp4' }).end(film);
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<video src="/film"></video>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const browser = await startBrowser();
  try {
    const tab = await browser.open(`http://127.0.0.1:${port}/`);
    return v.parse(playedShape, await tab.evaluate(PLAY));
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
