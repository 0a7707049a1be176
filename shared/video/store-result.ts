import type { StoredObject } from '../aws/index.ts';
import type { Videos } from '../ports/index.ts';
import { removeMetadata } from '../image-files/index.ts';
import { iterableOf } from '../utils/index.ts';
import { detectVideoType, getOperation, type Job, makesPicture, resultKey } from './jobs/index.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 200 * MB;
/** Largest video without a stated length: it is buffered, since the bucket needs the length. */
const MAX_BUFFERED_BYTES = 32 * MB;

/** Largest picture: it is buffered, to remove its metadata. */
const MAX_PICTURE_BYTES = 30 * MB;

/** A file in our bucket. */
type StoredResult = { readonly bytes: number; readonly mimetype: string };
/** `unusable`: a picture that is damaged or too small. */
type ResultRejection = 'not-a-video' | 'video-too-large' | 'unusable';

/** Copies the video or picture at `address` to our bucket. Returns its size in bytes, or why it was rejected. */
export async function storeResult(
  job: Pick<Job, 'id' | 'operation'>,
  address: string,
  videos: Videos,
): Promise<StoredResult | ResultRejection> {
  const key = resultKey(job);
  return makesPicture(getOperation(job))
    ? storePicture(key, address, videos)
    : storeVideo(key, address, videos);
}

const PICTURE_REJECTIONS = {
  'not-a-picture': 'not-a-video',
  'too-large': 'video-too-large',
  'too-small': 'unusable',
  damaged: 'unusable',
} as const;

/** Stores a picture without its metadata, which may contain the prompt. */
async function storePicture(
  key: string,
  address: string,
  { fetch, media }: Videos,
): Promise<StoredResult | ResultRejection> {
  const { content } = await fetch(address);
  const parts: Uint8Array[] = [];
  try {
    for await (const part of limitBytes(content, MAX_PICTURE_BYTES)) parts.push(part);
  } catch (error) {
    if (getCause(error) instanceof VideoTooLargeError) return 'video-too-large';
    throw error;
  }
  const cleaned = removeMetadata(Buffer.concat(parts));
  if (typeof cleaned === 'string') return PICTURE_REJECTIONS[cleaned];
  const { bytes, mimetype } = cleaned;
  await media.put(key, { bytes: bytes.length, mimetype, content: iterableOf(bytes) });
  return { bytes: bytes.length, mimetype };
}

async function storeVideo(
  key: string,
  address: string,
  { fetch, media }: Videos,
): Promise<StoredResult | ResultRejection> {
  const { bytes, content } = await fetch(address);
  const maxBytes = bytes === undefined ? MAX_BUFFERED_BYTES : MAX_BYTES;
  if (bytes !== undefined && bytes > maxBytes) {
    await stopDownload(content);
    return 'video-too-large';
  }
  try {
    const { mimetype, content: checked } = await openVideo(limitBytes(content, maxBytes));
    const file = bytes === undefined ? await bufferVideo(checked) : { bytes, content: checked };
    await media.put(key, { ...file, mimetype });
    return { bytes: file.bytes, mimetype };
  } catch (error) {
    const cause = getCause(error);
    if (cause instanceof NotAVideoError) return 'not-a-video';
    if (cause instanceof VideoTooLargeError) return 'video-too-large';
    throw error;
  }
}

class NotAVideoError extends Error {}
class VideoTooLargeError extends Error {}

const getCause = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

/** Cancels a download. */
export async function stopDownload(content: AsyncIterable<Uint8Array>): Promise<void> {
  await content[Symbol.asyncIterator]().return?.(undefined);
}

async function* limitBytes(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let total = 0;
  for await (const part of content) {
    total += part.length;
    if (total > maxBytes) throw new VideoTooLargeError();
    yield part;
  }
}

/** Enough for the brand of MP4, or the document type of WebM. */
const START_BYTES = 64;

/** Reads the start of a video, which tells its type. Rejects with NotAVideoError if it does not start like one. */
async function openVideo(
  content: AsyncIterable<Uint8Array>,
): Promise<Pick<StoredObject, 'mimetype' | 'content'>> {
  const parts = content[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array();
  while (start.length < START_BYTES) {
    const next = await parts.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const mimetype = detectVideoType(start);
  if (mimetype !== undefined) return { mimetype, content: withStart(start, parts) };
  await parts.return?.();
  throw new NotAVideoError();
}

async function* withStart(
  start: Uint8Array,
  parts: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield start;
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value;
  } finally {
    await parts.return?.();
  }
}

async function bufferVideo(
  content: AsyncIterable<Uint8Array>,
): Promise<Pick<StoredObject, 'bytes' | 'content'>> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return { bytes: parts.reduce((sum, part) => sum + part.length, 0), content: iterableOf(...parts) };
}
