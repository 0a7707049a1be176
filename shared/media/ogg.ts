const HEADER = 27;
const FIRST_OF_STREAM = 0x02;

/**
 * The links of an Ogg file: recorders that are stopped and started write one complete stream after the other into the
 * same file, and the demuxer reads only the first. A page that begins a stream after one that does not begins a link.
 */
export function links(bytes: Uint8Array): Uint8Array[] {
  const starts: number[] = [];
  let beginning = false;
  let at = 0;
  while (at + HEADER <= bytes.length && bytes[at] === 0x4f && bytes[at + 1] === 0x67) {
    const first = ((bytes[at + 5] ?? 0) & FIRST_OF_STREAM) !== 0;
    if (first && !beginning) starts.push(at);
    beginning = first;
    const segments = bytes.subarray(at + HEADER, at + HEADER + (bytes[at + 26] ?? 0));
    at += HEADER + segments.length + segments.reduce((sum, length) => sum + length, 0);
  }
  return starts.length < 2 ? [bytes] : starts.map((start, n) => bytes.subarray(start, starts[n + 1]));
}
