import { AacError, type Bits } from './bits.ts';
import { SCALE, SPECTRUM } from './codebooks.ts';

/** Codes up to this length are found at once; longer ones are rare. */
const QUICK = 9;
const LONGEST = 19;

/** A code book made ready: which entry the next bits stand for. */
class Huffman {
  readonly size: number;
  /** The numbers of all entries, one entry after the other, in the order of their codes. */
  readonly numbers: Int16Array;
  /** For each beginning of nine bits: place of the entry times 16 and its length, or 0. */
  readonly #quick = new Uint16Array(1 << QUICK);
  /** For each length: the code after its last one, filled up to the longest length; and what to take off to get a place. */
  readonly #ends = new Uint32Array(LONGEST + 1);
  readonly #offsets = new Int32Array(LONGEST + 1);

  constructor({ size, least, values, counts, order }: (typeof SPECTRUM)[number]) {
    this.size = size;
    const entries = order.match(/../gu)?.map((digits) => Number.parseInt(digits, 36)) ?? [];
    this.numbers = new Int16Array(entries.length * size);
    for (const [place, entry] of entries.entries()) {
      for (let n = 0; n < size; n += 1) {
        this.numbers[place * size + n] = (Math.floor(entry / values ** (size - 1 - n)) % values) + least;
      }
    }
    let [code, place] = [0, 0];
    for (let length = 1; length <= LONGEST; length += 1) {
      const count = counts[length - 1] ?? 0;
      code *= 2;
      this.#offsets[length] = code - place;
      for (let n = 0; n < (length <= QUICK ? count : 0); n += 1) {
        const from = (code + n) << (QUICK - length);
        this.#quick.fill(((place + n) << 4) | length, from, from + (1 << (QUICK - length)));
      }
      code += count;
      place += count;
      this.#ends[length] = code * 2 ** (LONGEST - length);
    }
  }

  /** The place of the next entry. */
  next(bits: Bits): number {
    const found = this.#quick[bits.peek(QUICK)] ?? 0;
    if (found !== 0) {
      bits.skip(found & 15);
      return found >> 4;
    }
    const code = bits.peek(LONGEST);
    for (let length = QUICK + 1; length <= LONGEST; length += 1) {
      if (code >= (this.#ends[length] ?? 0)) continue;
      bits.skip(length);
      return (code >> (LONGEST - length)) - (this.#offsets[length] ?? 0);
    }
    throw new AacError('no such code');
  }
}

const spectrum = SPECTRUM.map((book) => new Huffman(book));
const scale = new Huffman(SCALE);

/** The step to the next scale factor. */
export function scaleStep(bits: Bits): number {
  return (scale.numbers[scale.next(bits)] ?? 0) - 60;
}

/** Books whose numbers have no sign: it follows as a bit for each that is not zero. */
const UNSIGNED: ReadonlySet<number> = new Set([3, 4, 7, 8, 9, 10, 11]);
/** The book whose highest number stands for "more bits follow". */
const ESCAPES = 11;
const ESCAPE = 16;

/** Reads `count` numbers of the spectrum with one of the books 1 to 11. */
export function readSpectrum(bits: Bits, book: number, into: Float32Array, at: number, count: number): void {
  const huffman = spectrum[book - 1];
  if (!huffman) throw new AacError(`no code book ${book}`);
  const { size, numbers } = huffman;
  const unsigned = UNSIGNED.has(book);
  for (let n = at; n < at + count; n += size) {
    const place = huffman.next(bits) * size;
    for (let k = 0; k < size; k += 1) {
      const number = numbers[place + k] ?? 0;
      into[n + k] = unsigned && number !== 0 && bits.flag() ? -number : number;
    }
    if (book !== ESCAPES) continue;
    for (let k = n; k < n + size; k += 1) {
      const value = into[k] ?? 0;
      if (value === ESCAPE) into[k] = escaped(bits);
      else if (value === -ESCAPE) into[k] = -escaped(bits);
    }
  }
}

function escaped(bits: Bits): number {
  let width = 4;
  while (bits.flag()) width += 1;
  if (width > 12) throw new AacError('a number that is too large');
  return (1 << width) + bits.read(width);
}
