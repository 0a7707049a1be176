import type { Bands } from './bands.ts';
import { AacError, type Bits } from './bits.ts';
import { passSpectrum, power, readSpectrum, scaleStep } from './huffman.ts';
import { readShaping, type Shaping } from './shaping.ts';
import { eachBand, LINES, lineInWindow, LONG, readWindows, type Windows } from './windows.ts';

/** Books that stand for no numbers: silence, noise, and the other channel at another loudness. */
const ZERO = 0;
const NOISE = 13;
const MIRRORED = 14;
const ALIKE = 15;

/** The most bands that the windows of a frame have together: 8 groups of 15. */
const MAX_BANDS = 120;

/** One channel of a frame. Its arrays are written anew with each frame. */
export type Channel = {
  windows: Windows;
  /** The code book of each band, group after group. */
  readonly books: Uint8Array;
  /** The scale of each band: of numbers, of noise, or of the other channel's. */
  readonly scales: Float64Array;
  readonly lines: Float32Array;
  shaping: readonly (readonly Shaping[])[];
};

export const newChannel = (): Channel => ({
  windows: LONG,
  books: new Uint8Array(MAX_BANDS),
  scales: new Float64Array(MAX_BANDS),
  lines: new Float32Array(LINES),
  shaping: [],
});

export const isNoise = (book: number | undefined): boolean => book === NOISE;
/** How a band follows the left channel: 1, or -1 when turned over; 0 if it is on its own. */
export const follows = (book: number | undefined): number =>
  book === ALIKE ? 1 : book === MIRRORED ? -1 : 0;

/** What reading a channel needs besides its bits. */
export type Reading = {
  readonly bandsOf: (sequence: number) => Bands;
  readonly random: () => number;
  /** Of 1024 lines so many are heard. Those above are left out, unless shaping carries them down to those that are. */
  readonly heard: number;
};

/** `individual_channel_stream`, 4.4.2.7; `shared` are the windows that both channels of a pair have. */
export function readChannel(channel: Channel, bits: Bits, reading: Reading, shared?: Windows): void {
  const gain = bits.read(8);
  const windows = shared ?? readWindows(bits, reading.bandsOf);
  const bands = reading.bandsOf(windows.sequence);
  channel.windows = windows;
  readBooks(bits, channel);
  readScales(bits, channel, gain);
  const pulses = bits.flag() ? readPulses(bits, windows, bands) : [];
  channel.shaping = bits.flag() ? readShaping(bits, windows) : [];
  if (bits.flag()) throw new AacError('AAC with gain control');
  readLines(bits, channel, bands, reading);
  for (const pulse of pulses) addPulse(channel, bands, pulse);
}

function readBooks(bits: Bits, { windows: { sequence, most, groups }, books }: Channel): void {
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
}

/** Powers of two in steps of a quarter, from this one on. */
const LOWEST = -512;
const QUARTERS = Float64Array.from({ length: 1024 }, (_, n) => 2 ** ((n + LOWEST) / 4));
const quarters = (count: number): number => QUARTERS[count - LOWEST] ?? 2 ** (count / 4);

function readScales(bits: Bits, { windows, books, scales }: Channel, gain: number): void {
  const count = windows.groups.length * windows.most;
  let scale = gain;
  let noise = gain - 90;
  let place = 0;
  let first = true;
  for (let band = 0; band < count; band += 1) {
    const book = books[band] ?? ZERO;
    if (book === ZERO) continue;
    if (book === ALIKE || book === MIRRORED) {
      place += scaleStep(bits);
      scales[band] = quarters(-place);
    } else if (book === NOISE) {
      noise += first ? bits.read(9) - 256 : scaleStep(bits);
      first = false;
      scales[band] = quarters(noise);
    } else {
      scale += scaleStep(bits);
      if (scale < 0 || scale > 255) throw new AacError('a scale beyond all scales');
      scales[band] = quarters(scale - 100);
    }
  }
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

/** The numbers of each band become the lines they stand for: their power of 4/3, times the scale of the band. */
function readLines(bits: Bits, channel: Channel, bands: Bands, { heard, random }: Reading): void {
  const { windows, books, scales, lines, shaping } = channel;
  lines.fill(0);
  const reach = shaping.length > 0 ? LINES : heard;
  eachBand(windows, bands, (band, from, to) => {
    const book = books[band] ?? ZERO;
    if (book === ZERO || follows(book) !== 0) return;
    const scale = scales[band] ?? 0;
    const reached = lineInWindow(windows, from) < reach;
    if (isNoise(book)) {
      if (reached) noisy(lines, from, to, scale, random);
    } else if (reached) readSpectrum(bits, book, lines, from, to - from, scale);
    else passSpectrum(bits, book, to - from);
  });
}

/** Pulses add to the numbers, so that the number is made of the line again. */
function addPulse({ windows, lines, scales }: Channel, bands: Bands, { at, by }: Pulse): void {
  eachBand(windows, bands, (band, from, to) => {
    const scale = scales[band] ?? 0;
    if (at < from || at >= to || scale === 0) return;
    const line = lines[at] ?? 0;
    const number = Math.round((Math.abs(line) / scale) ** (3 / 4));
    const pulsed = (line > 0 ? number : -number) + (line > 0 ? by : -by);
    lines[at] = Math.sign(pulsed) * power(Math.abs(pulsed)) * scale;
  });
}

/** Noise of the loudness that was sent. */
function noisy(lines: Float32Array, from: number, to: number, loudness: number, random: () => number): void {
  let energy = 0;
  for (let n = from; n < to; n += 1) {
    const value = random() - 0.5;
    lines[n] = value;
    energy += value * value;
  }
  const scale = energy === 0 ? 0 : loudness / Math.sqrt(energy);
  for (let n = from; n < to; n += 1) lines[n] = (lines[n] ?? 0) * scale;
}
