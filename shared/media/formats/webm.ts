/** Ids of the elements that moments are told by, as in the specification of Matroska (RFC 9559). */
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const TIMESTAMP_SCALE = Buffer.from([0x2a, 0xd7, 0xb1]);
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

/** Of a moment, in ns, unless the file says otherwise. */
const DEFAULT_SCALE = 1_000_000;
/** What looks like a cluster may be sound: so many are tried, from the end. */
const MAX_TRIES = 8;

/**
 * The moment of the last block in a WebM file, in ms: its length where its header tells none, as a browser writes it while it
 * records. Reads the last cluster alone. Undefined where there is none.
 */
export function lastMoment(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = file.length;
  for (let tries = 0; tries < MAX_TRIES && end > 0; tries += 1) {
    const at = file.lastIndexOf(CLUSTER, end - 1);
    if (at < 0) return undefined;
    const units = momentIn(file, at + CLUSTER.length);
    if (units !== undefined) return (units * scaleOf(file)) / 1e6;
    end = at;
  }
  return undefined;
}

/** The moment of the last block of the cluster whose size is told at `at`, in the file's own units. */
function momentIn(file: Buffer, at: number): number | undefined {
  const size = vint(file, at);
  if (!size) return undefined;
  let base: number | undefined;
  let last = 0;
  for (let next = at + size.length; next < file.length;) {
    const id = file[next] ?? 0;
    // The ids of all that a cluster holds have one byte, but for what nobody needs here: it ends the search.
    const length = id === TIMESTAMP || id >= 0x80 ? vint(file, next + 1) : undefined;
    if (!length) break;
    const body = next + 1 + length.length;
    if (id === TIMESTAMP) base = unsigned(file, body, length.value);
    else if (id === SIMPLE_BLOCK || id === BLOCK) last = relative(file, body) ?? last;
    // A group is entered: its block is its first element.
    next = id === BLOCK_GROUP ? body : body + length.value;
  }
  return base === undefined ? undefined : base + last;
}

/** The moment of a block within its cluster: 16 bits behind the number of its track. */
function relative(file: Buffer, at: number): number | undefined {
  const track = vint(file, at);
  const place = at + (track?.length ?? 0);
  return track && place + 2 <= file.length ? file.readInt16BE(place) : undefined;
}

function scaleOf(file: Buffer): number {
  const at = file.subarray(0, 4_096).indexOf(TIMESTAMP_SCALE);
  const length = at < 0 ? undefined : vint(file, at + TIMESTAMP_SCALE.length);
  const scale = length && unsigned(file, at + TIMESTAMP_SCALE.length + length.length, length.value);
  return scale || DEFAULT_SCALE;
}

/** A number of one to eight bytes, whose first bit that is set tells how many. */
function vint(file: Buffer, at: number): { readonly value: number; readonly length: number } | undefined {
  const first = file[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > file.length) return undefined;
  let value = first & (0xff >> length);
  for (let n = 1; n < length; n += 1) value = value * 256 + (file[at + n] ?? 0);
  return { value, length };
}

/** An unsigned number of so many bytes; undefined for more than six, which no recording needs. */
const unsigned = (file: Buffer, at: number, length: number): number | undefined =>
  length >= 1 && length <= 6 && at + length <= file.length ? file.readUIntBE(at, length) : undefined;
