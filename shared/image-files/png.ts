import { DamagedImageError, ByteReader, type StrippedImage } from './bytes.ts';

/** Chunks for pixels, colours and animation (W3C PNG, third edition). Texts, times and Exif are not in the list. */
const KEPT_CHUNKS = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD cICP acTL fcTL fdAT'.split(' '),
);
const SIGNATURE_BYTES = 8;

/** Keeps the chunks of a PNG that are needed to draw it. Removes other chunks and data after the end. */
export function stripPng(bytes: Uint8Array): StrippedImage {
  const reader = new ByteReader(bytes);
  if (reader.text(12, 4) !== 'IHDR') throw new DamagedImageError('it has no header');
  const parts = [reader.slice(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; ;) {
    const end = at + 12 + reader.u32(at);
    const name = reader.text(at + 4, 4);
    const chunk = reader.slice(at, end);
    if (KEPT_CHUNKS.has(name)) parts.push(chunk);
    if (name === 'IEND') break;
    at = end;
  }
  return { width: reader.u32(16), height: reader.u32(20), parts };
}
