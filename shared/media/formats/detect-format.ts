import type { Container } from '../thread/events.ts';

/** What the beginning of a file says it is. Names and types that senders give play no part. */
export type Looks = Exclude<Container, 'other'> | 'page' | 'empty' | 'unknown';

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** How far into a web page its first tag is looked for. */
const LOOK = 512;

export function looks(bytes: Uint8Array): Looks {
  if (bytes.length === 0) return 'empty';
  const start = latin1(bytes, 0, 4);
  if (start === 'OggS') return 'ogg';
  if (start === '\x1a\x45\xdf\xa3') return 'webm';
  if (start === 'fLaC') return 'flac';
  if (/^(?:RIFF|RIFX|RF64)$/u.test(start) && latin1(bytes, 8, 12) === 'WAVE') return 'wav';
  // Old QuickTime files have no `ftyp`: they begin with any of these.
  if (/^(?:ftyp|styp|moov|mdat|wide|free|skip|pnot)$/u.test(latin1(bytes, 4, 8))) return 'mp4';
  if (start.startsWith('ID3')) return afterTag(bytes);
  if (
    /^\s*(?:<!doctype|<html|<\?xml|<head|<body)/iu.test(latin1(bytes, 0, LOOK).replace(/^\xef\xbb\xbf/u, ''))
  )
    return 'page';
  return mpeg(bytes, 0) ?? 'unknown';
}

/** A tag of ID3 stands before MP3, and before AAC in its own frames; its length is in four times seven bits. */
function afterTag(bytes: Uint8Array): Looks {
  const size = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
  return mpeg(bytes, 10 + size) ?? 'mp3';
}

/** The layer in the header of a frame tells MP3 (1 to 3) from AAC (0). */
function mpeg(bytes: Uint8Array, at: number): 'mp3' | 'adts' | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) return 'adts';
  const valid = (second & 0x06) !== 0 && (second & 0x18) !== 0x08 && third >> 4 !== 15;
  return valid ? 'mp3' : undefined;
}
