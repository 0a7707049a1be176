import { Damaged, Reader, type Stripped } from './bytes.ts';

/** Pixels, colours and animation (W3C PNG, third edition); texts, times and Exif are not among them. */
const KEPT = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD cICP acTL fcTL fdAT'.split(' '));
const SIGNATURE = 8;

/** A PNG with what it takes to draw it, and nothing else, nor what stands behind its end. */
export function stripPng(bytes: Uint8Array): Stripped {
  const reader = new Reader(bytes);
  if (reader.text(12, 4) !== 'IHDR') throw new Damaged('it has no header');
  const parts = [reader.part(0, SIGNATURE)];
  for (let at = SIGNATURE; ;) {
    const end = at + 12 + reader.u32(at);
    const name = reader.text(at + 4, 4);
    const chunk = reader.part(at, end);
    if (KEPT.has(name)) parts.push(chunk);
    if (name === 'IEND') break;
    at = end;
  }
  return { width: reader.u32(16), height: reader.u32(20), parts };
}
