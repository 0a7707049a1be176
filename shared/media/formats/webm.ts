/** Ids of the elements for timestamps in Matroska (RFC 9559). */
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const TIMESTAMP_SCALE = Buffer.from([0x2a, 0xd7, 0xb1]);
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

/** The default timestamp scale, in ns. */
const DEFAULT_SCALE = 1_000_000;
/** Audio data may look like a cluster, so several candidates are tried, from the end. */
const MAX_CANDIDATES = 8;

/**
 * Returns the timestamp of the last block of a WebM file, in ms. This is its duration when the header has none, as in files
 * that a browser recorded. Reads only the last cluster. Undefined if there is none.
 */
export function getLastTimestampMs(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = file.length;
  for (let attempt = 0; attempt < MAX_CANDIDATES && end > 0; attempt += 1) {
    const at = file.lastIndexOf(CLUSTER, end - 1);
    if (at < 0) return undefined;
    const units = getClusterEnd(file, at + CLUSTER.length);
    if (units !== undefined) return (units * readTimestampScale(file)) / 1e6;
    end = at;
  }
  return undefined;
}

/** Returns the timestamp of the last block of a cluster, in the file's units. `at` is the position of the cluster's size. */
function getClusterEnd(file: Buffer, at: number): number | undefined {
  const size = readVint(file, at);
  if (!size) return undefined;
  let base: number | undefined;
  let last = 0;
  for (let next = at + size.length; next < file.length;) {
    const id = file[next] ?? 0;
    // The needed elements of a cluster have one-byte ids; another id ends the search.
    const length = id === TIMESTAMP || id >= 0x80 ? readVint(file, next + 1) : undefined;
    if (!length) break;
    const body = next + 1 + length.length;
    if (id === TIMESTAMP) base = readUnsigned(file, body, length.value);
    else if (id === SIMPLE_BLOCK || id === BLOCK) last = readBlockTimestamp(file, body) ?? last;
    // Descends into a group: its block is its first element.
    next = id === BLOCK_GROUP ? body : body + length.value;
  }
  return base === undefined ? undefined : base + last;
}

/** Returns a block's timestamp relative to its cluster: 16 bits after the track number. */
function readBlockTimestamp(file: Buffer, at: number): number | undefined {
  const track = readVint(file, at);
  const place = at + (track?.length ?? 0);
  return track && place + 2 <= file.length ? file.readInt16BE(place) : undefined;
}

function readTimestampScale(file: Buffer): number {
  const at = file.subarray(0, 4_096).indexOf(TIMESTAMP_SCALE);
  const length = at < 0 ? undefined : readVint(file, at + TIMESTAMP_SCALE.length);
  const scale = length && readUnsigned(file, at + TIMESTAMP_SCALE.length + length.length, length.value);
  return scale || DEFAULT_SCALE;
}

/** Parses a variable-length integer of one to eight bytes; the first set bit gives the length. */
function readVint(file: Buffer, at: number): { readonly value: number; readonly length: number } | undefined {
  const first = file[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > file.length) return undefined;
  let value = first & (0xff >> length);
  for (let n = 1; n < length; n += 1) value = value * 256 + (file[at + n] ?? 0);
  return { value, length };
}

/** Parses an unsigned number; undefined above six bytes, which no recording needs. */
const readUnsigned = (file: Buffer, at: number, length: number): number | undefined =>
  length >= 1 && length <= 6 && at + length <= file.length ? file.readUIntBE(at, length) : undefined;
