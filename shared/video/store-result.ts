import type { StoredObject } from '../aws/s3.ts';
import { type Videos, VideoUnreachable } from '../context/video-ports.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 200 * MB;
/** A video whose length nobody tells is held whole, since the bucket wants to know. */
const MAX_HELD = 32 * MB;

/** Copies the video at `address` into our bucket. Resolves with its size in bytes, or with what is wrong with it. */
export async function storeResult(
  key: string,
  address: string,
  { fetch, media }: Videos,
): Promise<number | 'not-a-video' | 'video-too-large'> {
  const { bytes, content } = await fetch(address);
  const most = bytes === undefined ? MAX_HELD : MAX_BYTES;
  if (bytes !== undefined && bytes > most) {
    await stopDownload(content);
    return 'video-too-large';
  }
  try {
    const checked = videoBytes(limited(content, most));
    const file = bytes === undefined ? await whole(checked) : { bytes, content: checked };
    await media.put(key, { ...file, mimetype: 'video/mp4' });
    return file.bytes;
  } catch (error) {
    const cause = rootOf(error);
    if (cause instanceof NotAVideoError) return 'not-a-video';
    if (cause instanceof VideoTooLargeError) return 'video-too-large';
    throw error;
  }
}

class NotAVideoError extends Error {}
class VideoTooLargeError extends Error {}

const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

/** Ends a body that nobody reads. */
export async function stopDownload(content: AsyncIterable<Uint8Array>): Promise<void> {
  await content[Symbol.asyncIterator]().return?.(undefined);
}

async function* limited(content: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let total = 0;
  for await (const part of content) {
    total += part.length;
    if (total > most) throw new VideoTooLargeError();
    yield part;
  }
}

/** Lets through what begins as MP4 or WebM does. */
async function* videoBytes(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const part of content) {
    if (start === undefined) {
      yield part;
      continue;
    }
    start = Buffer.concat([start, part]);
    if (start.length < 12) continue;
    if (!isVideo(start)) throw new NotAVideoError();
    yield start;
    start = undefined;
  }
  if (start !== undefined) throw new NotAVideoError();
}

function isVideo(start: Uint8Array): boolean {
  const text = String.fromCharCode(...start.subarray(0, 8));
  return text.startsWith('ftyp', 4) || text.startsWith('\x1a\x45\xdf\xa3');
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Pick<StoredObject, 'bytes' | 'content'>> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (bytes === 0) throw new VideoUnreachable('an empty file', false);
  return { bytes, content: each(parts) };
}

async function* each(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
