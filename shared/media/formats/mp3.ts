import { getEndOfId3Tags } from './detect-format.ts';

/** The first frame has at most 1,441 bytes; there may be padding before it. */
const MAX_SEARCH_BYTES = 4_096;

/**
 * Whether an MP3 states its length: its first frame is a header, Xing (variable bitrate) or Info (constant). Without one, the demuxer
 * calculates the length from the first frame, which is wrong for a variable bitrate.
 */
export function hasLengthHeader(bytes: Uint8Array): boolean {
  const at = getEndOfId3Tags(bytes);
  const start = Buffer.from(bytes.subarray(at, at + MAX_SEARCH_BYTES));
  return start.includes('Xing', 0, 'latin1') || start.includes('Info', 0, 'latin1');
}
