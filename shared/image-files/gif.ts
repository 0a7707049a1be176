import { DamagedImageError, ByteReader, type StrippedImage } from './bytes.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Application extensions with the number of repetitions of an animation. Others are removed. */
const LOOP_EXTENSIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/** Keeps the images and the animation control of a GIF (GIF89a), and removes everything else. */
export function stripGif(bytes: Uint8Array): StrippedImage {
  const reader = new ByteReader(bytes);
  const start = 13 + getTableSize(reader.u8(10));
  const parts = [reader.slice(0, start)];
  for (let at = start; ;) {
    const kind = reader.u8(at);
    if (kind === TRAILER) break;
    if (kind !== EXTENSION && kind !== IMAGE) throw new DamagedImageError('a block of no known kind');
    const end = kind === IMAGE ? findImageEnd(reader, at) : findBlocksEnd(reader, at + 2);
    if (kind === IMAGE || isNeeded(reader, at)) parts.push(reader.slice(at, end));
    at = end;
  }
  return {
    width: reader.u16(6, true),
    height: reader.u16(8, true),
    parts: [...parts, Uint8Array.of(TRAILER)],
  };
}

const getTableSize = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

const findImageEnd = (reader: ByteReader, at: number): number =>
  // The data blocks follow the descriptor, its colour table and the code size.
  findBlocksEnd(reader, at + 10 + getTableSize(reader.u8(at + 9)) + 1);

function findBlocksEnd(reader: ByteReader, from: number): number {
  let at = from;
  while (reader.u8(at) > 0) at += reader.u8(at) + 1;
  return at + 1;
}

function isNeeded(reader: ByteReader, at: number): boolean {
  const label = reader.u8(at + 1);
  if (label === GRAPHIC_CONTROL) return true;
  return label === APPLICATION && reader.u8(at + 2) === 11 && LOOP_EXTENSIONS.has(reader.text(at + 3, 11));
}
