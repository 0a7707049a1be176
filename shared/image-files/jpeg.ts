import { Damaged, Reader, type Stripped } from './bytes.ts';

/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** Start of frame: the markers C0 to CF without the tables (C4), JPG (C8) and arithmetic coding (CC). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const SCAN = 0xda;
const END = 0xd9;

/**
 * A JPEG (ITU T.81) with its tables, frames, scans and colours, and nothing else: no camera, place, time, preview or
 * comment, nor what stands behind its end. Which way up it is held is kept.
 */
export function stripJpeg(bytes: Uint8Array): Stripped {
  const reader = new Reader(bytes);
  const parts: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  let turned = 1;
  let at = 2;
  for (;;) {
    if (reader.u8(at) !== 0xff) throw new Damaged('no marker where one has to be');
    while (reader.u8(at + 1) === 0xff) at += 1;
    const marker = reader.u8(at + 1);
    if (marker === END) break;
    if (isBare(marker)) {
      at += 2;
      continue;
    }
    const next = at + 2 + reader.u16(at + 2);
    if (isFrame(marker)) size = { height: reader.u16(at + 5), width: reader.u16(at + 7) };
    if (marker === APP1) turned = orientationIn(reader, at + 4, next) ?? turned;
    const end = marker === SCAN ? endOfScan(reader, next) : next;
    parts.push(...kept(reader, marker, at, end));
    at = end;
  }
  if (!size) throw new Damaged('it has no frame');
  const start = Uint8Array.of(0xff, 0xd8);
  return {
    ...size,
    parts: [start, ...(turned > 1 ? [exifOf(turned)] : []), ...parts, Uint8Array.of(0xff, END)],
  };
}

function kept(reader: Reader, marker: number, at: number, end: number): readonly Uint8Array[] {
  const whole = [reader.part(at, end)];
  if (marker === APP0)
    return reader.part(at, end).length >= 18 && isJfif(reader, at) ? [jfif(reader, at)] : [];
  if (marker === APP2) return end - at > 16 && reader.text(at + 4, 12) === 'ICC_PROFILE\0' ? whole : [];
  if (marker === APP14) return whole;
  return marker >= 0xc0 && marker <= 0xdf ? whole : [];
}

const isJfif = (reader: Reader, at: number): boolean => reader.text(at + 4, 5) === 'JFIF\0';

/** The segment without its preview. */
function jfif(reader: Reader, at: number): Uint8Array {
  const segment = Uint8Array.from(reader.part(at, at + 18));
  segment.set([0, 16], 2);
  segment.set([0, 0], 16);
  return segment;
}

/** Behind the coded data of a scan: at the next marker that is none of its own. */
function endOfScan(reader: Reader, from: number): number {
  for (let at = from; ; at += 1) {
    if (reader.u8(at) !== 0xff) continue;
    const marker = reader.u8(at + 1);
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) return at;
  }
}

const ORIENTATION = 0x0112;

/** How the camera was held, 1 to 8, out of an Exif segment; undefined where it says nothing of that. */
function orientationIn(reader: Reader, start: number, end: number): number | undefined {
  if (end - start < 14 || reader.text(start, 6) !== 'Exif\0\0') return undefined;
  const tiff = new Reader(reader.part(start + 6, end));
  try {
    const little = tiff.text(0, 2) === 'II';
    const directory = tiff.u32(4, little);
    const entries = tiff.u16(directory, little);
    for (let i = 0; i < entries; i += 1) {
      const entry = directory + 2 + i * 12;
      if (tiff.u16(entry, little) !== ORIENTATION) continue;
      const turned = tiff.u16(entry + 8, little);
      return turned >= 1 && turned <= 8 ? turned : undefined;
    }
  } catch {
    // What cannot be read is not kept.
  }
  return undefined;
}

/** An Exif segment that says nothing but which way up the picture is held. */
function exifOf(turned: number): Uint8Array {
  const tiff = [
    0x49,
    0x49,
    0x2a,
    0,
    8,
    0,
    0,
    0,
    1,
    0,
    0x12,
    1,
    3,
    0,
    1,
    0,
    0,
    0,
    turned,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  const body = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  return Uint8Array.of(0xff, APP1, 0, body.length + 2, ...body);
}
