import { Damaged, Reader, type Stripped } from './bytes.ts';

const KEPT = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** In the flags of VP8X: that there is Exif, that there is XMP. */
const METADATA = 0x08 | 0x04;

/** A WebP (RFC 9649) with what it takes to draw it, and nothing else. */
export function stripWebp(bytes: Uint8Array): Stripped {
  const reader = new Reader(bytes);
  const end = Math.min(reader.length, 8 + reader.u32(4, true));
  const parts: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  for (let at = 12; at + 8 <= end;) {
    const name = reader.text(at, 4);
    const length = reader.u32(at + 4, true);
    const next = at + 8 + length + (length % 2);
    if (KEPT.has(name)) {
      const chunk = Uint8Array.from(reader.part(at, Math.min(next, reader.length)));
      if (name === 'VP8X') chunk[8] = (chunk[8] ?? 0) & ~METADATA;
      parts.push(chunk);
      size ??= sizeIn(reader, name, at + 8);
    }
    at = next;
  }
  if (!size) throw new Damaged('it has no picture');
  return { ...size, parts: [header(parts), ...parts] };
}

function sizeIn(reader: Reader, name: string, at: number): { width: number; height: number } | undefined {
  const u24 = (from: number): number => reader.u16(from, true) + reader.u8(from + 2) * 0x10000;
  if (name === 'VP8X') return { width: u24(at + 4) + 1, height: u24(at + 7) + 1 };
  if (name === 'VP8 ')
    return { width: reader.u16(at + 6, true) & 0x3fff, height: reader.u16(at + 8, true) & 0x3fff };
  if (name !== 'VP8L') return undefined;
  const bits = reader.u32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function header(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  const bytes = new Uint8Array(12);
  bytes.set([0x52, 0x49, 0x46, 0x46]);
  new DataView(bytes.buffer).setUint32(4, length, true);
  bytes.set([0x57, 0x45, 0x42, 0x50], 8);
  return bytes;
}
