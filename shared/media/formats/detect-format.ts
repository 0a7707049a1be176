import type { Container } from '../media-events.ts';

/** The format by the first bytes of a file. Its name and MIME type are ignored. */
export type DetectedFormat = Exclude<Container, 'other'> | 'page' | 'empty' | 'unknown';

const latin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** How many bytes are searched for the first tag of a web page. */
const MAX_SEARCH_BYTES = 512;

/** Detects the format of a recording by its first bytes. */
export function detectFormat(bytes: Uint8Array): DetectedFormat {
  if (bytes.length === 0) return 'empty';
  const start = latin1(bytes, 0, 4);
  if (start === 'OggS') return 'ogg';
  if (start === '\x1a\x45\xdf\xa3') return 'webm';
  if (start === 'fLaC') return 'flac';
  if (/^(?:RIFF|RIFX|RF64)$/u.test(start) && latin1(bytes, 8, 12) === 'WAVE') return 'wav';
  // Old QuickTime files have no `ftyp`; they begin with one of these atoms.
  if (/^(?:ftyp|styp|moov|mdat|wide|free|skip|pnot)$/u.test(latin1(bytes, 4, 8))) return 'mp4';
  if (start.startsWith('ID3')) return detectAfterTag(bytes);
  if (
    /^\s*(?:<!doctype|<html|<\?xml|<head|<body)/iu.test(
      latin1(bytes, 0, MAX_SEARCH_BYTES).replace(/^\xef\xbb\xbf/u, ''),
    )
  )
    return 'page';
  return detectMpegFrame(bytes, 0) ?? 'unknown';
}

/** Returns where the ID3 tags at the start of a file end; their length is stored in four times seven bits. */
export function getEndOfId3Tags(bytes: Uint8Array): number {
  let at = 0;
  while (latin1(bytes, at, at + 3) === 'ID3') {
    const size = bytes.subarray(at + 6, at + 10).reduce((sum, byte) => sum * 128 + (byte & 127), 0);
    at += 10 + size;
  }
  return at;
}

/** ID3 tags precede MP3 or ADTS frames, and FLAC from some programs. */
function detectAfterTag(bytes: Uint8Array): DetectedFormat {
  const at = getEndOfId3Tags(bytes);
  if (latin1(bytes, at, at + 4) === 'fLaC') return 'flac';
  return detectMpegFrame(bytes, at) ?? 'mp3';
}

/** The layer in the frame header distinguishes MP3 (1 to 3) from AAC (0). */
function detectMpegFrame(bytes: Uint8Array, at: number): 'mp3' | 'adts' | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) return 'adts';
  const isValid = (second & 0x06) !== 0 && (second & 0x18) !== 0x08 && third >> 4 !== 15;
  return isValid ? 'mp3' : undefined;
}
