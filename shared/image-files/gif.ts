import { Damaged, Reader, type Stripped } from './bytes.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** How often an animation is repeated. All else that applications put in is left out. */
const LOOPS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/** A GIF (GIF89a) with its pictures and how they follow each other, and nothing else. */
export function stripGif(bytes: Uint8Array): Stripped {
  const reader = new Reader(bytes);
  const start = 13 + tableSize(reader.u8(10));
  const parts = [reader.part(0, start)];
  for (let at = start; ;) {
    const kind = reader.u8(at);
    if (kind === TRAILER) break;
    if (kind !== EXTENSION && kind !== IMAGE) throw new Damaged('a block of no known kind');
    const end = kind === IMAGE ? endOfImage(reader, at) : endOfBlocks(reader, at + 2);
    if (kind === IMAGE || isKept(reader, at)) parts.push(reader.part(at, end));
    at = end;
  }
  return {
    width: reader.u16(6, true),
    height: reader.u16(8, true),
    parts: [...parts, Uint8Array.of(TRAILER)],
  };
}

const tableSize = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

const endOfImage = (reader: Reader, at: number): number =>
  // The blocks begin behind the descriptor, its table of colours and the size of codes.
  endOfBlocks(reader, at + 10 + tableSize(reader.u8(at + 9)) + 1);

function endOfBlocks(reader: Reader, from: number): number {
  let at = from;
  while (reader.u8(at) > 0) at += reader.u8(at) + 1;
  return at + 1;
}

function isKept(reader: Reader, at: number): boolean {
  const label = reader.u8(at + 1);
  if (label === GRAPHIC_CONTROL) return true;
  return label === APPLICATION && reader.u8(at + 2) === 11 && LOOPS.has(reader.text(at + 3, 11));
}
