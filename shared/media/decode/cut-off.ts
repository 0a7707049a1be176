import type { Container } from '../thread/events.ts';
import { links } from '../formats/ogg.ts';

/** Sizes that recorders write while they do not know the real one. */
const UNKNOWN = new Set([0, 0xff_ff_ff_ff]);

/** Whether a file ends before its own headers say it does. Demuxers pass over that. */
export function cutOff(bytes: Uint8Array, container: Container): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (container === 'wav') {
    const size = bytes.length < 12 ? 0 : view.getUint32(4, true);
    return !UNKNOWN.has(size) && size + 8 > bytes.length;
  }
  if (container === 'ogg') return links(bytes).reduce((sum, link) => sum + link.length, 0) < bytes.length;
  return container === 'mp4' && endOfBoxes(view) > bytes.length;
}

/** Where the last box of an MP4 says it ends. */
function endOfBoxes(view: DataView): number {
  let at = 0;
  while (at + 16 <= view.byteLength) {
    const size = view.getUint32(at);
    // 0: to the end of the file; 1: the size follows in 64 bits.
    if (size === 0) return view.byteLength;
    const whole = size === 1 ? Number(view.getBigUint64(at + 8)) : size;
    if (whole < 8) return view.byteLength;
    at += whole;
  }
  return at;
}
