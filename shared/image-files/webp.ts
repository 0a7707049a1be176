import { DamagedImageError, ByteReader, type StrippedImage } from './bytes.ts';

const KEPT_CHUNKS = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** The flags for Exif and XMP in a VP8X chunk. */
const METADATA_FLAGS = 0x08 | 0x04;

/** Keeps the chunks of a WebP (RFC 9649) that are needed to draw it. */
export function stripWebp(bytes: Uint8Array): StrippedImage {
  const reader = new ByteReader(bytes);
  const end = Math.min(reader.length, 8 + reader.u32(4, true));
  const parts: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  for (let at = 12; at + 8 <= end;) {
    const name = reader.text(at, 4);
    const length = reader.u32(at + 4, true);
    const next = at + 8 + length + (length % 2);
    if (KEPT_CHUNKS.has(name)) {
      const chunk = Uint8Array.from(reader.slice(at, Math.min(next, reader.length)));
      if (name === 'VP8X') chunk[8] = (chunk[8] ?? 0) & ~METADATA_FLAGS;
      parts.push(chunk);
      size ??= readSize(reader, name, at + 8);
    }
    at = next;
  }
  if (!size) throw new DamagedImageError('it has no picture');
  return { ...size, parts: [buildHeader(parts), ...parts] };
}

function readSize(
  reader: ByteReader,
  name: string,
  at: number,
): { width: number; height: number } | undefined {
  const u24 = (from: number): number => reader.u16(from, true) + reader.u8(from + 2) * 0x10000;
  if (name === 'VP8X') return { width: u24(at + 4) + 1, height: u24(at + 7) + 1 };
  if (name === 'VP8 ')
    return { width: reader.u16(at + 6, true) & 0x3fff, height: reader.u16(at + 8, true) & 0x3fff };
  if (name !== 'VP8L') return undefined;
  const bits = reader.u32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function buildHeader(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  const bytes = new Uint8Array(12);
  bytes.set([0x52, 0x49, 0x46, 0x46]);
  new DataView(bytes.buffer).setUint32(4, length, true);
  bytes.set([0x57, 0x45, 0x42, 0x50], 8);
  return bytes;
}
