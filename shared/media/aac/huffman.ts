import { AacError, type Bits } from './bits.ts';
import { SCALE, SPECTRUM } from './codebooks.ts';

/** Codes up to this length are found at once; longer ones are rare. */
const QUICK = 10;
const MAX_LENGTH = 19;
/** How an entry is kept in the table: its place, how many signs follow it, and the length of its code. */
const PLACE = 256;
const SIGNS = 32;

/** A code book made ready: which entry the next bits stand for. */
class Huffman {
  readonly size: number;
  /** The numbers of all entries, one entry after the other, in the order of their codes. */
  readonly numbers: Int16Array;
  /** The same to the power of 4/3, which is what they stand for in a spectrum. */
  readonly powers: Float64Array;
  /** How many bits with signs follow each entry. */
  readonly #signs: Uint8Array;
  /** For each beginning of so many bits the entry, or 0. */
  readonly #quick = new Int32Array(1 << QUICK);
  /** For each length: the code after its last one, filled up to the longest length; and what to take off to get a place. */
  readonly #ends = new Uint32Array(MAX_LENGTH + 1);
  readonly #offsets = new Int32Array(MAX_LENGTH + 1);

  /** `signed`: whether a bit follows for each number that is not zero. */
  constructor({ size, least, values, counts, order }: (typeof SPECTRUM)[number], signed: boolean) {
    this.size = size;
    const entries = order.match(/../gu)?.map((digits) => Number.parseInt(digits, 36)) ?? [];
    this.numbers = new Int16Array(entries.length * size);
    this.#signs = new Uint8Array(entries.length);
    for (const [place, entry] of entries.entries()) {
      for (let n = 0; n < size; n += 1) {
        const number = (Math.floor(entry / values ** (size - 1 - n)) % values) + least;
        this.numbers[place * size + n] = number;
        if (signed && number !== 0) this.#signs[place] = (this.#signs[place] ?? 0) + 1;
      }
    }
    this.powers = Float64Array.from(this.numbers, (number) => Math.sign(number) * power(Math.abs(number)));
    let [code, place] = [0, 0];
    for (let length = 1; length <= MAX_LENGTH; length += 1) {
      const count = counts[length - 1] ?? 0;
      code *= 2;
      this.#offsets[length] = code - place;
      for (let n = 0; n < (length <= QUICK ? count : 0); n += 1) {
        const from = (code + n) << (QUICK - length);
        this.#quick.fill(this.#entry(place + n, length), from, from + (1 << (QUICK - length)));
      }
      code += count;
      place += count;
      this.#ends[length] = code * 2 ** (MAX_LENGTH - length);
    }
  }

  /** Takes the next entry: its place times `PLACE`, and the number of signs that follow times `SIGNS`. */
  next(bits: Bits): number {
    const found = this.#quick[bits.peek(QUICK)] ?? 0;
    const entry = found === 0 ? this.#slow(bits.peek(MAX_LENGTH)) : found;
    bits.skip(entry & (SIGNS - 1));
    return entry;
  }

  #slow(code: number): number {
    for (let length = QUICK + 1; length <= MAX_LENGTH; length += 1) {
      if (code < (this.#ends[length] ?? 0))
        return this.#entry((code >> (MAX_LENGTH - length)) - (this.#offsets[length] ?? 0), length);
    }
    throw new AacError('no such code');
  }

  #entry(place: number, length: number): number {
    return place * PLACE + (this.#signs[place] ?? 0) * SIGNS + length;
  }
}

const signsOf = (entry: number): number => (entry % PLACE) >> 5;

const POWERS = Float64Array.from({ length: 8192 }, (_, n) => n ** (4 / 3));
/** What a number of the spectrum stands for, before it is scaled. */
export const power = (number: number): number => POWERS[number] ?? number ** (4 / 3);

/** Books whose numbers have no sign: it follows as a bit for each that is not zero. */
const UNSIGNED: ReadonlySet<number> = new Set([3, 4, 7, 8, 9, 10, 11]);
/** The book whose highest number stands for "more bits follow". */
const ESCAPES = 11;
const ESCAPE = 16;

const spectrum = SPECTRUM.map((book, n) => new Huffman(book, UNSIGNED.has(n + 1)));
const scale = new Huffman(SCALE, false);

/** The step to the next scale factor. */
export function scaleStep(bits: Bits): number {
  return (scale.numbers[scale.next(bits) >> 8] ?? 0) - 60;
}

function bookOf(book: number): Huffman {
  const huffman = spectrum[book - 1];
  if (!huffman) throw new AacError(`no code book ${book}`);
  return huffman;
}

/** Reads `count` lines of a spectrum with one of the books 1 to 11, each times `by`. */
export function readSpectrum(
  bits: Bits,
  book: number,
  into: Float32Array,
  at: number,
  count: number,
  by: number,
): void {
  const huffman = bookOf(book);
  const { size, powers, numbers } = huffman;
  for (let n = at; n < at + count; n += size) {
    const entry = huffman.next(bits);
    const place = (entry >> 8) * size;
    let left = signsOf(entry);
    const signs = left === 0 ? 0 : bits.read(left);
    const signed = left > 0;
    for (let k = 0; k < size; k += 1) {
      let value = powers[place + k] ?? 0;
      if (value === 0) continue;
      if (book === ESCAPES && numbers[place + k] === ESCAPE) value = power(escaped(bits));
      if (signed) {
        left -= 1;
        if ((signs >> left) & 1) value = -value;
      }
      into[n + k] = value * by;
    }
  }
}

/** As `readSpectrum`, for lines that nobody hears. */
export function passSpectrum(bits: Bits, book: number, count: number): void {
  const huffman = bookOf(book);
  const { size, numbers } = huffman;
  for (let n = 0; n < count; n += size) {
    const entry = huffman.next(bits);
    bits.skip(signsOf(entry));
    if (book !== ESCAPES) continue;
    const place = (entry >> 8) * size;
    if (numbers[place] === ESCAPE) escaped(bits);
    if (numbers[place + 1] === ESCAPE) escaped(bits);
  }
}

function escaped(bits: Bits): number {
  let width = 4;
  while (bits.flag()) width += 1;
  if (width > 12) throw new AacError('a number that is too large');
  return (1 << width) + bits.read(width);
}
