import { DamagedImageError, ByteReader, type StrippedImage } from './bytes.ts';

/** Markers without a length. */
const hasNoLength = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
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
 * Keeps the tables, frames, scans, colour profile and orientation of a JPEG (ITU T.81). Removes everything else: camera,
 * place, time, preview, comments and data after the end.
 */
export function stripJpeg(bytes: Uint8Array): StrippedImage {
  const reader = new ByteReader(bytes);
  const parts: Uint8Array[] = [];
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let at = 2;
  for (;;) {
    if (reader.u8(at) !== 0xff) throw new DamagedImageError('no marker where one has to be');
    while (reader.u8(at + 1) === 0xff) at += 1;
    const marker = reader.u8(at + 1);
    if (marker === END) break;
    if (hasNoLength(marker)) {
      at += 2;
      continue;
    }
    const next = at + 2 + reader.u16(at + 2);
    if (isFrame(marker)) size = { height: reader.u16(at + 5), width: reader.u16(at + 7) };
    if (marker === APP1) orientation = readOrientation(reader, at + 4, next) ?? orientation;
    const end = marker === SCAN ? findScanEnd(reader, next) : next;
    parts.push(...keepSegment(reader, marker, at, end));
    at = end;
  }
  if (!size) throw new DamagedImageError('it has no frame');
  const start = Uint8Array.of(0xff, 0xd8);
  return {
    ...size,
    parts: [start, ...(orientation > 1 ? [buildExif(orientation)] : []), ...parts, Uint8Array.of(0xff, END)],
  };
}

function keepSegment(reader: ByteReader, marker: number, at: number, end: number): readonly Uint8Array[] {
  const segment = [reader.slice(at, end)];
  if (marker === APP0)
    return reader.slice(at, end).length >= 18 && isJfif(reader, at) ? [removeThumbnail(reader, at)] : [];
  if (marker === APP2) return end - at > 16 && reader.text(at + 4, 12) === 'ICC_PROFILE\0' ? segment : [];
  if (marker === APP14) return segment;
  return marker >= 0xc0 && marker <= 0xdf ? segment : [];
}

const isJfif = (reader: ByteReader, at: number): boolean => reader.text(at + 4, 5) === 'JFIF\0';

/** Returns the JFIF segment without its thumbnail. */
function removeThumbnail(reader: ByteReader, at: number): Uint8Array {
  const segment = Uint8Array.from(reader.slice(at, at + 18));
  segment.set([0, 16], 2);
  segment.set([0, 0], 16);
  return segment;
}

/** Returns the end of a scan's coded data: the next marker that is not part of it. */
function findScanEnd(reader: ByteReader, from: number): number {
  for (let at = from; ; at += 1) {
    if (reader.u8(at) !== 0xff) continue;
    const marker = reader.u8(at + 1);
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) return at;
  }
}

const ORIENTATION = 0x0112;

/** Reads the orientation, 1 to 8, of an Exif segment; undefined without one. */
function readOrientation(reader: ByteReader, start: number, end: number): number | undefined {
  if (end - start < 14 || reader.text(start, 6) !== 'Exif\0\0') return undefined;
  const tiff = new ByteReader(reader.slice(start + 6, end));
  try {
    const isLittleEndian = tiff.text(0, 2) === 'II';
    const directory = tiff.u32(4, isLittleEndian);
    const entries = tiff.u16(directory, isLittleEndian);
    for (let i = 0; i < entries; i += 1) {
      const entry = directory + 2 + i * 12;
      if (tiff.u16(entry, isLittleEndian) !== ORIENTATION) continue;
      const orientation = tiff.u16(entry + 8, isLittleEndian);
      return orientation >= 1 && orientation <= 8 ? orientation : undefined;
    }
  } catch {
    // An unreadable orientation is dropped.
  }
  return undefined;
}

/** Creates an Exif segment with the orientation only. */
function buildExif(orientation: number): Uint8Array {
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
    orientation,
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
