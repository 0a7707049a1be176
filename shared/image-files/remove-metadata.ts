import { DamagedImageError, type StrippedImage } from './bytes.ts';
import { stripGif } from './gif.ts';
import { stripJpeg } from './jpeg.ts';
import { stripPng } from './png.ts';
import { stripWebp } from './webp.ts';

/** An image without metadata. Sizes in pixels. */
export type CleanedImage = {
  readonly mimetype: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
};

/** Why an image cannot be used. */
export type ImageRejection = 'not-a-picture' | 'damaged' | 'too-large' | 'too-small';

/** Longest side, total pixels and shortest side, in pixels. */
const MAX_LENGTH = 8_192;
const MAX_PIXELS = 40_000_000;
const MIN_LENGTH = 16;

const FORMATS: readonly (readonly [
  (start: string) => boolean,
  string,
  (bytes: Uint8Array) => StrippedImage,
])[] = [
  [(start) => start.startsWith('\xff\xd8\xff'), 'image/jpeg', stripJpeg],
  [(start) => start.startsWith('\x89PNG\r\n\x1a\n'), 'image/png', stripPng],
  [(start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8), 'image/webp', stripWebp],
  [(start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'), 'image/gif', stripGif],
];

/**
 * Removes metadata from a JPEG, PNG, WebP or GIF, detected by its first bytes. Keeps only what is needed to draw it: place,
 * time, camera, author, comments, previews and data after its end are removed.
 */
export function removeMetadata(bytes: Uint8Array): CleanedImage | ImageRejection {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const [, mimetype, strip] = FORMATS.find(([matches]) => matches(start)) ?? [];
  if (mimetype === undefined || strip === undefined) return 'not-a-picture';
  try {
    const { width, height, parts } = strip(bytes);
    if (width > MAX_LENGTH || height > MAX_LENGTH || width * height > MAX_PIXELS) return 'too-large';
    if (width < MIN_LENGTH || height < MIN_LENGTH) return 'too-small';
    return { mimetype, width, height, bytes: concatenate(parts) };
  } catch (error) {
    if (error instanceof DamagedImageError) return 'damaged';
    throw error;
  }
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
