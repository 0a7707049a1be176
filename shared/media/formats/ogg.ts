const PAGE_HEADER_BYTES = 27;
const FIRST_OF_STREAM = 0x02;

/**
 * Splits a chained Ogg file: recorders that are stopped and started write several complete streams into one file, and the
 * demuxer reads only the first. A first page after a page that is not a first page starts a stream. An incomplete page at
 * the end is dropped, because the demuxer would reject the whole file.
 */
export function splitOggStreams(bytes: Uint8Array): Uint8Array[] {
  const starts: number[] = [];
  let isBeginning = false;
  let at = 0;
  for (let next = getPageEnd(bytes, at); next !== undefined; next = getPageEnd(bytes, at)) {
    const isFirst = ((bytes[at + 5] ?? 0) & FIRST_OF_STREAM) !== 0;
    if (isFirst && !isBeginning) starts.push(at);
    isBeginning = isFirst;
    at = next;
  }
  // When the pages stop being contiguous, the demuxer may find more.
  const end = isPage(bytes, at) ? at : bytes.length;
  return starts.length < 2
    ? [bytes.subarray(0, end)]
    : starts.map((start, n) => bytes.subarray(start, starts[n + 1] ?? end));
}

const GRANULE_OFFSET = 6;
/** The granule position of a page in which no packet ends. */
const NO_GRANULE = 0xffff_ffff_ffff_ffffn;

/** Returns the number of samples of a stream by its last page; undefined if unknown. */
export function countSamples(stream: Uint8Array): number | undefined {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  let last: bigint | undefined;
  let at = 0;
  for (let next = getPageEnd(stream, at); next !== undefined; next = getPageEnd(stream, at)) {
    const granule = view.getBigUint64(at + GRANULE_OFFSET, true);
    if (granule !== NO_GRANULE) last = granule;
    at = next;
  }
  return last === undefined || last === 0n || last > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : Number(last);
}

const isPage = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0x4f && bytes[at + 1] === 0x67;

function getPageEnd(bytes: Uint8Array, at: number): number | undefined {
  if (!isPage(bytes, at)) return undefined;
  const segments = bytes.subarray(at + PAGE_HEADER_BYTES, at + PAGE_HEADER_BYTES + (bytes[at + 26] ?? 0));
  const end = at + PAGE_HEADER_BYTES + segments.length + segments.reduce((sum, length) => sum + length, 0);
  return at + PAGE_HEADER_BYTES <= bytes.length && end <= bytes.length ? end : undefined;
}
