import { AacError, type BitReader } from './bit-reader.ts';
import { SCALE_FACTOR_CODEBOOK, SPECTRAL_CODEBOOKS } from './codebooks.ts';

/** Codes up to this length are found in a table; longer ones are rare. */
const TABLE_BITS = 10;
const MAX_CODE_LENGTH = 19;
/** Layout of a table entry: position, number of sign bits, code length. */
const PLACE = 256;
const SIGNS = 32;

/** A codebook prepared for decoding. */
class HuffmanDecoder {
  readonly size: number;
  /** The values of all entries, in the order of their codes. */
  readonly values: Int16Array;
  /** The same values to the power of 4/3, as in a spectrum. */
  readonly powers: Float64Array;
  /** The number of sign bits after each entry. */
  readonly #signCounts: Uint8Array;
  /** The entry for each prefix of `TABLE_BITS` bits, or 0. */
  readonly #table = new Int32Array(1 << TABLE_BITS);
  /** For each code length: the code after its last one, left-aligned; and the offset from code to position. */
  readonly #ends = new Uint32Array(MAX_CODE_LENGTH + 1);
  readonly #offsets = new Int32Array(MAX_CODE_LENGTH + 1);

  /** `signed`: whether a sign bit follows for each value other than zero. */
  constructor(
    { size, min: least, values, counts, order }: (typeof SPECTRAL_CODEBOOKS)[number],
    isSigned: boolean,
  ) {
    this.size = size;
    const entries = order.match(/../gu)?.map((digits) => Number.parseInt(digits, 36)) ?? [];
    this.values = new Int16Array(entries.length * size);
    this.#signCounts = new Uint8Array(entries.length);
    for (const [place, entry] of entries.entries()) {
      for (let n = 0; n < size; n += 1) {
        const number = (Math.floor(entry / values ** (size - 1 - n)) % values) + least;
        this.values[place * size + n] = number;
        if (isSigned && number !== 0) this.#signCounts[place] = (this.#signCounts[place] ?? 0) + 1;
      }
    }
    this.powers = Float64Array.from(this.values, (number) => Math.sign(number) * power(Math.abs(number)));
    let [code, place] = [0, 0];
    for (let length = 1; length <= MAX_CODE_LENGTH; length += 1) {
      const count = counts[length - 1] ?? 0;
      code *= 2;
      this.#offsets[length] = code - place;
      for (let n = 0; n < (length <= TABLE_BITS ? count : 0); n += 1) {
        const from = (code + n) << (TABLE_BITS - length);
        this.#table.fill(this.#entry(place + n, length), from, from + (1 << (TABLE_BITS - length)));
      }
      code += count;
      place += count;
      this.#ends[length] = code * 2 ** (MAX_CODE_LENGTH - length);
    }
  }

  /** Reads the next entry: its position times `PLACE`, and its number of sign bits times `SIGNS`. */
  next(bits: BitReader): number {
    const tableEntry = this.#table[bits.peek(TABLE_BITS)] ?? 0;
    const entry = tableEntry === 0 ? this.#decodeLong(bits.peek(MAX_CODE_LENGTH)) : tableEntry;
    bits.skip(entry & (SIGNS - 1));
    return entry;
  }

  #decodeLong(code: number): number {
    for (let length = TABLE_BITS + 1; length <= MAX_CODE_LENGTH; length += 1) {
      if (code < (this.#ends[length] ?? 0))
        return this.#entry((code >> (MAX_CODE_LENGTH - length)) - (this.#offsets[length] ?? 0), length);
    }
    throw new AacError('no such code');
  }

  #entry(place: number, length: number): number {
    return place * PLACE + (this.#signCounts[place] ?? 0) * SIGNS + length;
  }
}

const getSignCount = (entry: number): number => (entry % PLACE) >> 5;

const POWERS = Float64Array.from({ length: 8192 }, (_, n) => n ** (4 / 3));
/** A quantized spectral value to the power of 4/3. */
export const power = (number: number): number => POWERS[number] ?? number ** (4 / 3);

/** Codebooks with unsigned values: a sign bit follows for each value other than zero. */
const UNSIGNED_CODEBOOKS: ReadonlySet<number> = new Set([3, 4, 7, 8, 9, 10, 11]);
/** The codebook whose highest value means that more bits follow. */
const ESCAPE_CODEBOOK = 11;
const ESCAPE_VALUE = 16;

const spectralDecoders = SPECTRAL_CODEBOOKS.map(
  (book, n) => new HuffmanDecoder(book, UNSIGNED_CODEBOOKS.has(n + 1)),
);
const scaleDecoder = new HuffmanDecoder(SCALE_FACTOR_CODEBOOK, false);

/** Reads the difference to the next scale factor. */
export function readScaleStep(bits: BitReader): number {
  return (scaleDecoder.values[scaleDecoder.next(bits) >> 8] ?? 0) - 60;
}

function getDecoder(book: number): HuffmanDecoder {
  const huffman = spectralDecoders[book - 1];
  if (!huffman) throw new AacError(`no codebook ${book}`);
  return huffman;
}

/** Reads `count` lines with one of the codebooks 1 to 11, each multiplied by `by`. */
export function readSpectrum(
  bits: BitReader,
  book: number,
  into: Float32Array,
  at: number,
  count: number,
  by: number,
): void {
  const huffman = getDecoder(book);
  const { size, powers, values: numbers } = huffman;
  for (let n = at; n < at + count; n += size) {
    const entry = huffman.next(bits);
    const place = (entry >> 8) * size;
    let remainingSigns = getSignCount(entry);
    const signs = remainingSigns === 0 ? 0 : bits.read(remainingSigns);
    const isSigned = remainingSigns > 0;
    for (let k = 0; k < size; k += 1) {
      let value = powers[place + k] ?? 0;
      if (value === 0) continue;
      if (book === ESCAPE_CODEBOOK && numbers[place + k] === ESCAPE_VALUE) value = power(readEscape(bits));
      if (isSigned) {
        remainingSigns -= 1;
        if ((signs >> remainingSigns) & 1) value = -value;
      }
      into[n + k] = value * by;
    }
  }
}

/** Like `readSpectrum`, for lines that are skipped. */
export function skipSpectrum(bits: BitReader, book: number, count: number): void {
  const huffman = getDecoder(book);
  const { size, values: numbers } = huffman;
  for (let n = 0; n < count; n += size) {
    const entry = huffman.next(bits);
    bits.skip(getSignCount(entry));
    if (book !== ESCAPE_CODEBOOK) continue;
    const place = (entry >> 8) * size;
    if (numbers[place] === ESCAPE_VALUE) readEscape(bits);
    if (numbers[place + 1] === ESCAPE_VALUE) readEscape(bits);
  }
}

function readEscape(bits: BitReader): number {
  let width = 4;
  while (bits.readFlag()) width += 1;
  if (width > 12) throw new AacError('a number that is too large');
  return (1 << width) + bits.read(width);
}
