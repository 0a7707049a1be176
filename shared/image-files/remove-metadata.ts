import { Damaged, type Stripped } from './bytes.ts';
import { stripGif } from './gif.ts';
import { stripJpeg } from './jpeg.ts';
import { stripPng } from './png.ts';
import { stripWebp } from './webp.ts';

/** A picture that may leave the house. Sizes in pixels. */
export type MetadataRemoval = {
  readonly mimetype: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
};

/** Why a picture cannot be used. */
export type Refusal = 'not-a-picture' | 'damaged' | 'too-large' | 'too-small';

/** The longest side, all pixels together, and the shortest side of a picture, in pixels. */
const MAX_LENGTH = 8_192;
const MAX_PIXELS = 40_000_000;
const MIN_LENGTH = 16;

const KINDS: readonly (readonly [(start: string) => boolean, string, (bytes: Uint8Array) => Stripped])[] = [
  [(start) => start.startsWith('\xff\xd8\xff'), 'image/jpeg', stripJpeg],
  [(start) => start.startsWith('\x89PNG\r\n\x1a\n'), 'image/png', stripPng],
  [(start) => start.startsWith('RIFF') && start.startsWith('WEBP', 8), 'image/webp', stripWebp],
  [(start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'), 'image/gif', stripGif],
];

/**
 * A JPEG, PNG, WebP or GIF, told by its first bytes, without metadata: what is not known to be needed for drawing it is
 * left out, such as place, time, camera, author, comments, previews, and anything behind its end.
 */
export function clean(bytes: Uint8Array): MetadataRemoval | Refusal {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const [, mimetype, strip] = KINDS.find(([begins]) => begins(start)) ?? [];
  if (mimetype === undefined || strip === undefined) return 'not-a-picture';
  try {
    const { width, height, parts } = strip(bytes);
    if (width > MAX_LENGTH || height > MAX_LENGTH || width * height > MAX_PIXELS) return 'too-large';
    if (width < MIN_LENGTH || height < MIN_LENGTH) return 'too-small';
    return { mimetype, width, height, bytes: joined(parts) };
  } catch (error) {
    if (error instanceof Damaged) return 'damaged';
    throw error;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
