import type { Container } from '../media-events.ts';
import { splitOggStreams } from '../formats/ogg.ts';

/** Sizes that recorders write while the real size is unknown. */
const UNKNOWN_SIZES = new Set([0, 0xff_ff_ff_ff]);

/** Whether a file is shorter than its own headers say. Demuxers ignore that. */
export function isTruncated(bytes: Uint8Array, container: Container): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (container === 'wav') {
    const size = bytes.length < 12 ? 0 : view.getUint32(4, true);
    return !UNKNOWN_SIZES.has(size) && size + 8 > bytes.length;
  }
  if (container === 'ogg')
    return splitOggStreams(bytes).reduce((sum, link) => sum + link.length, 0) < bytes.length;
  return container === 'mp4' && getEndOfBoxes(view) > bytes.length;
}

/** Returns where the last box of an MP4 ends according to its header. */
function getEndOfBoxes(view: DataView): number {
  let at = 0;
  while (at + 16 <= view.byteLength) {
    const size = view.getUint32(at);
    // 0: to the end of the file. 1: the size follows in 64 bits.
    if (size === 0) return view.byteLength;
    const whole = size === 1 ? Number(view.getBigUint64(at + 8)) : size;
    if (whole < 8) return view.byteLength;
    at += whole;
  }
  return at;
}
