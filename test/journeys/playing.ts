import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const WITHIN_MS = 40_000;

/** The Chromium of this machine; undefined where there is none. */
export const CHROMIUM = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** What a reader of containers finds in a film, down to its last picture; undefined where it finds none. */
export async function filmIn(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (!track) return undefined;
  const { packetCount: pictures } = await track.computePacketStats();
  const { displayWidth: width, displayHeight: height, codec } = track;
  return { codec, width, height, duration: await track.computeDuration(), pictures };
}

const playedShape = z.object({
  /** 4: there is enough to play it to its end. */
  readyState: z.number(),
  /** In seconds; null for what is no film. */
  duration: z.nullable(z.number()),
  width: z.number(),
  height: z.number(),
  /** How far it got, in seconds. */
  at: z.number(),
  error: z.nullable(z.string()),
});
export type Played = z.infer<typeof playedShape>;

/** A page that plays the film to its end and tells how that went. */
const PAGE = `<!doctype html><video muted autoplay src="/film"></video><script>
const video = document.querySelector('video');
let told = false;
const tell = () => {
  if (told) return;
  told = true;
  const { readyState, duration, videoWidth: width, videoHeight: height, currentTime: at, error } = video;
  fetch('/told', { method: 'POST', body: JSON.stringify({ readyState, duration, width, height, at, error: error && error.message }) });
};
video.addEventListener('ended', tell);
video.addEventListener('error', tell);
setTimeout(tell, 20000);
</script>`;

/** Plays a film in a Chromium of its own, without sound and without a window. */
export async function played(film: Uint8Array, chromium: string): Promise<Played> {
  const data = mkdtempSync(join(tmpdir(), 'parley-playing-'));
  const { promise: heard, resolve: hear } = Promise.withResolvers<string>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/told') hear(await text(request));
    if (request.url === '/film') response.writeHead(200, { 'content-type': 'video/mp4' }).end(film);
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const options = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    '--autoplay-policy=no-user-gesture-required',
    `--user-data-dir=${data}`,
  ];
  const browser = spawn(chromium, [...options, `http://127.0.0.1:${port}/`], {
    stdio: 'ignore',
    timeout: WITHIN_MS,
  });
  const gone = new Promise<never>((_, reject) => {
    browser.once('error', reject);
    browser.once('close', () => reject(new Error('Chromium ended before the film did')));
  });
  try {
    return playedShape.parse(JSON.parse(await Promise.race([heard, gone])));
  } finally {
    gone.catch(() => undefined);
    const closed = new Promise((resolve) => void browser.once('close', resolve));
    browser.kill();
    if (browser.exitCode === null && browser.signalCode === null) await closed;
    server.closeAllConnections();
    server.close();
    rmSync(data, { recursive: true, force: true, maxRetries: 3 });
  }
}
