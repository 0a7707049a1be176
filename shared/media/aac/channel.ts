import type { Bands } from './bands.ts';
import { AacError, type Bits } from './bits.ts';
import { readSpectrum, scaleStep } from './huffman.ts';
import { readShaping, type Shaping } from './shaping.ts';
import { eachBand, LINES, readWindows, type Windows } from './windows.ts';

/** Books that stand for no numbers: silence, noise, and the other channel at another loudness. */
const ZERO = 0;
const NOISE = 13;
const MIRRORED = 14;
const ALIKE = 15;

/** One channel of a frame. */
export type Channel = {
  readonly windows: Windows;
  /** The code book of each band, group after group. */
  readonly books: Uint8Array;
  /** The scale of each band: of numbers, of noise, or of the other channel's. */
  readonly scales: Float32Array;
  readonly lines: Float32Array;
  readonly shaping: readonly (readonly Shaping[])[];
};

export const isNoise = (book: number | undefined): boolean => book === NOISE;
/** How a band follows the left channel: 1, or -1 when turned over; 0 if it is on its own. */
export const follows = (book: number | undefined): number =>
  book === ALIKE ? 1 : book === MIRRORED ? -1 : 0;

/** `individual_channel_stream`, 4.4.2.7; `shared` are the windows that both channels of a pair have. */
export function readChannel(
  bits: Bits,
  bandsOf: (sequence: number) => Bands,
  random: () => number,
  shared?: Windows,
): Channel {
  const gain = bits.read(8);
  const windows = shared ?? readWindows(bits, bandsOf);
  const bands = bandsOf(windows.sequence);
  const books = readBooks(bits, windows);
  const scales = readScales(bits, books, gain);
  const pulses = bits.flag() ? readPulses(bits, windows, bands) : [];
  const shaping = bits.flag() ? readShaping(bits, windows) : [];
  if (bits.flag()) throw new AacError('AAC with gain control');
  const lines = new Float32Array(LINES);
  const channel = { windows, books, scales, lines, shaping };
  readLines(bits, channel, bands);
  for (const { at, by } of pulses) lines[at] = (lines[at] ?? 0) + ((lines[at] ?? 0) > 0 ? by : -by);
  scaleLines(channel, bands, random);
  return channel;
}

function readBooks(bits: Bits, { sequence, most, groups }: Windows): Uint8Array {
  const books = new Uint8Array(groups.length * most);
  const width = sequence === 2 ? 3 : 5;
  const more = (1 << width) - 1;
  for (let group = 0; group < groups.length; group += 1) {
    for (let band = 0; band < most;) {
      const book = bits.read(4);
      let length = 0;
      let run = more;
      while (run === more) length += run = bits.read(width);
      if (book === 12 || length === 0 || band + length > most) throw new AacError('bands that do not fit');
      books.fill(book, group * most + band, group * most + band + length);
      band += length;
    }
  }
  return books;
}

function readScales(bits: Bits, books: Uint8Array, gain: number): Float32Array {
  const scales = new Float32Array(books.length);
  let [scale, noise, place] = [gain, gain - 90, 0];
  let first = true;
  for (const [band, book] of books.entries()) {
    if (book === ZERO) continue;
    if (follows(book) !== 0) {
      place += scaleStep(bits);
      scales[band] = 2 ** (-place / 4);
    } else if (isNoise(book)) {
      noise += first ? bits.read(9) - 256 : scaleStep(bits);
      first = false;
      scales[band] = 2 ** (noise / 4);
    } else {
      scale += scaleStep(bits);
      if (scale < 0 || scale > 255) throw new AacError('a scale beyond all scales');
      scales[band] = 2 ** ((scale - 100) / 4);
    }
  }
  return scales;
}

type Pulse = { readonly at: number; readonly by: number };

function readPulses(bits: Bits, { sequence }: Windows, { offsets }: Bands): Pulse[] {
  if (sequence === 2) throw new AacError('pulses in short windows');
  const count = bits.read(2) + 1;
  let at = offsets[bits.read(6)] ?? LINES;
  return Array.from({ length: count }, () => {
    at += bits.read(5);
    if (at >= LINES) throw new AacError('a pulse beyond the spectrum');
    return { at, by: bits.read(4) };
  });
}

function readLines(bits: Bits, { windows, books, lines }: Channel, bands: Bands): void {
  eachBand(windows, bands, (band, from, to) => {
    const book = books[band] ?? ZERO;
    if (book !== ZERO && book < NOISE) readSpectrum(bits, book, lines, from, to - from);
  });
}

/** The numbers as they were sent become the lines they stand for: their power of 4/3, times the scale of the band. */
function scaleLines({ windows, books, scales, lines }: Channel, bands: Bands, random: () => number): void {
  eachBand(windows, bands, (band, from, to) => {
    const book = books[band] ?? ZERO;
    if (book === ZERO || follows(book) !== 0) return;
    const scale = scales[band] ?? 0;
    if (isNoise(book)) {
      noisy(lines.subarray(from, to), scale, random);
      return;
    }
    for (let n = from; n < to; n += 1) {
      const number = lines[n] ?? 0;
      if (number !== 0) lines[n] = (number < 0 ? -power(-number) : power(number)) * scale;
    }
  });
}

const POWERS = Float32Array.from({ length: 256 }, (_, n) => n ** (4 / 3));
const power = (number: number): number => POWERS[number] ?? number ** (4 / 3);

/** Noise of the loudness that was sent. */
function noisy(lines: Float32Array, loudness: number, random: () => number): void {
  let energy = 0;
  for (let n = 0; n < lines.length; n += 1) {
    const value = random() - 0.5;
    lines[n] = value;
    energy += value * value;
  }
  const scale = energy === 0 ? 0 : loudness / Math.sqrt(energy);
  for (let n = 0; n < lines.length; n += 1) lines[n] = (lines[n] ?? 0) * scale;
}
