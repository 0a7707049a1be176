const HEADER = 27;
const FIRST_OF_STREAM = 0x02;

/**
 * The links of an Ogg file: recorders that are stopped and started write one complete stream after the other into the
 * same file, and the demuxer reads only the first. A page that begins a stream after one that does not begins a link.
 * What does not complete a page at the end is left out: the demuxer would give up on all of it.
 */
export function links(bytes: Uint8Array): Uint8Array[] {
  const starts: number[] = [];
  let beginning = false;
  let at = 0;
  for (let next = pageEnd(bytes, at); next !== undefined; next = pageEnd(bytes, at)) {
    const first = ((bytes[at + 5] ?? 0) & FIRST_OF_STREAM) !== 0;
    if (first && !beginning) starts.push(at);
    beginning = first;
    at = next;
  }
  // Where pages stop to follow each other, the demuxer may find more.
  const end = isPage(bytes, at) ? at : bytes.length;
  return starts.length < 2
    ? [bytes.subarray(0, end)]
    : starts.map((start, n) => bytes.subarray(start, starts[n + 1] ?? end));
}

const GRANULE = 6;
/** Of a page in which no packet ends. */
const NONE = 0xffff_ffff_ffff_ffffn;

/** How many samples a link says it holds, by the last of its pages; undefined where none says. */
export function samplesIn(link: Uint8Array): number | undefined {
  const view = new DataView(link.buffer, link.byteOffset, link.byteLength);
  let last: bigint | undefined;
  let at = 0;
  for (let next = pageEnd(link, at); next !== undefined; next = pageEnd(link, at)) {
    const granule = view.getBigUint64(at + GRANULE, true);
    if (granule !== NONE) last = granule;
    at = next;
  }
  return last === undefined || last === 0n || last > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : Number(last);
}

const isPage = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0x4f && bytes[at + 1] === 0x67;

function pageEnd(bytes: Uint8Array, at: number): number | undefined {
  if (!isPage(bytes, at)) return undefined;
  const segments = bytes.subarray(at + HEADER, at + HEADER + (bytes[at + 26] ?? 0));
  const end = at + HEADER + segments.length + segments.reduce((sum, length) => sum + length, 0);
  return at + HEADER <= bytes.length && end <= bytes.length ? end : undefined;
}
