import type { ScaleFactorBands } from './bands.ts';
import { AacError, type BitReader } from './bit-reader.ts';
import { skipSpectrum, power, readSpectrum, readScaleStep } from './huffman.ts';
import { readTnsFilters, type TnsFilter } from './noise-shaping.ts';
import { forEachBand, LINES, getFrequencyPosition, LONG, readWindows, type WindowLayout } from './windows.ts';

/** Codebooks without spectral data: silence, noise, and intensity stereo (out of phase, in phase). */
const ZERO_CODEBOOK = 0;
const NOISE_CODEBOOK = 13;
const INTENSITY_OUT_OF_PHASE = 14;
const INTENSITY_IN_PHASE = 15;

/** Maximum number of bands in all windows of a frame: 8 groups of 15. */
const MAX_BANDS = 120;

/** One channel of a frame. Its arrays are overwritten by each frame. */
export type Channel = {
  windows: WindowLayout;
  /** The codebook of each band, group after group. */
  readonly codebooks: Uint8Array;
  /** The scale of each band: of its lines, of its noise, or of intensity stereo. */
  readonly scales: Float64Array;
  readonly lines: Float32Array;
  filters: readonly (readonly TnsFilter[])[];
};

export const createChannel = (): Channel => ({
  windows: LONG,
  codebooks: new Uint8Array(MAX_BANDS),
  scales: new Float64Array(MAX_BANDS),
  lines: new Float32Array(LINES),
  filters: [],
});

export const isNoiseCodebook = (book: number | undefined): boolean => book === NOISE_CODEBOOK;
/** The sign of intensity stereo: 1, or -1 out of phase; 0 if the band does not use it. */
export const getIntensitySign = (book: number | undefined): number =>
  book === INTENSITY_IN_PHASE ? 1 : book === INTENSITY_OUT_OF_PHASE ? -1 : 0;

/** Context for parsing a channel. */
export type ChannelContext = {
  readonly getBands: (sequence: number) => ScaleFactorBands;
  readonly random: () => number;
  /** How many of the 1024 lines are decoded. Higher lines are skipped, unless TNS needs them for lower ones. */
  readonly lineCount: number;
};

/** Parses `individual_channel_stream`, 4.4.2.7. `shared` are the common windows of a channel pair. */
export function readChannel(
  channel: Channel,
  bits: BitReader,
  reading: ChannelContext,
  shared?: WindowLayout,
): void {
  const gain = bits.read(8);
  const windows = shared ?? readWindows(bits, reading.getBands);
  const bands = reading.getBands(windows.sequence);
  channel.windows = windows;
  readCodebooks(bits, channel);
  readScales(bits, channel, gain);
  const pulses = bits.readFlag() ? readPulses(bits, windows, bands) : [];
  channel.filters = bits.readFlag() ? readTnsFilters(bits, windows) : [];
  if (bits.readFlag()) throw new AacError('AAC with gain control');
  readLines(bits, channel, bands, reading);
  for (const pulse of pulses) addPulse(channel, bands, pulse);
}

function readCodebooks(
  bits: BitReader,
  { windows: { sequence, bandCount: maxBands, groups }, codebooks: books }: Channel,
): void {
  const width = sequence === 2 ? 3 : 5;
  const escapeValue = (1 << width) - 1;
  for (let group = 0; group < groups.length; group += 1) {
    for (let band = 0; band < maxBands;) {
      const book = bits.read(4);
      let length = 0;
      let run = escapeValue;
      while (run === escapeValue) length += run = bits.read(width);
      if (book === 12 || length === 0 || band + length > maxBands)
        throw new AacError('invalid section of bands');
      books.fill(book, group * maxBands + band, group * maxBands + band + length);
      band += length;
    }
  }
}

/** Powers of two in quarter steps, starting here. */
const MIN_QUARTERS = -512;
const QUARTER_POWERS = Float64Array.from({ length: 1024 }, (_, n) => 2 ** ((n + MIN_QUARTERS) / 4));
const quarterPower = (count: number): number => QUARTER_POWERS[count - MIN_QUARTERS] ?? 2 ** (count / 4);

function readScales(bits: BitReader, { windows, codebooks: books, scales }: Channel, gain: number): void {
  const count = windows.groups.length * windows.bandCount;
  let scale = gain;
  let noise = gain - 90;
  let intensity = 0;
  let isFirst = true;
  for (let band = 0; band < count; band += 1) {
    const book = books[band] ?? ZERO_CODEBOOK;
    if (book === ZERO_CODEBOOK) continue;
    if (book === INTENSITY_IN_PHASE || book === INTENSITY_OUT_OF_PHASE) {
      intensity += readScaleStep(bits);
      scales[band] = quarterPower(-intensity);
    } else if (book === NOISE_CODEBOOK) {
      noise += isFirst ? bits.read(9) - 256 : readScaleStep(bits);
      isFirst = false;
      scales[band] = quarterPower(noise);
    } else {
      scale += readScaleStep(bits);
      if (scale < 0 || scale > 255) throw new AacError('an invalid scale factor');
      scales[band] = quarterPower(scale - 100);
    }
  }
}

type Pulse = { readonly line: number; readonly amplitude: number };

function readPulses(bits: BitReader, { sequence }: WindowLayout, { offsets }: ScaleFactorBands): Pulse[] {
  if (sequence === 2) throw new AacError('pulses in short windows');
  const count = bits.read(2) + 1;
  let line = offsets[bits.read(6)] ?? LINES;
  return Array.from({ length: count }, () => {
    line += bits.read(5);
    if (line >= LINES) throw new AacError('a pulse beyond the spectrum');
    return { line, amplitude: bits.read(4) };
  });
}

/** Parses the spectral data: each value to the power of 4/3, times the scale of its band. */
function readLines(
  bits: BitReader,
  channel: Channel,
  bands: ScaleFactorBands,
  { lineCount, random }: ChannelContext,
): void {
  const { windows, codebooks: books, scales, lines, filters: shaping } = channel;
  lines.fill(0);
  const endLine = shaping.length > 0 ? LINES : lineCount;
  forEachBand(windows, bands, (band, from, to) => {
    const book = books[band] ?? ZERO_CODEBOOK;
    if (book === ZERO_CODEBOOK || getIntensitySign(book) !== 0) return;
    const scale = scales[band] ?? 0;
    const isDecoded = getFrequencyPosition(windows, from) < endLine;
    if (isNoiseCodebook(book)) {
      if (isDecoded) fillWithNoise(lines, from, to, scale, random);
    } else if (isDecoded) readSpectrum(bits, book, lines, from, to - from, scale);
    else skipSpectrum(bits, book, to - from);
  });
}

/** Pulses are added to the quantized values, so the value is recovered from the line first. */
function addPulse(
  { windows, lines, scales }: Channel,
  bands: ScaleFactorBands,
  { line: at, amplitude: by }: Pulse,
): void {
  forEachBand(windows, bands, (band, from, to) => {
    const scale = scales[band] ?? 0;
    if (at < from || at >= to || scale === 0) return;
    const line = lines[at] ?? 0;
    const number = Math.round((Math.abs(line) / scale) ** (3 / 4));
    const pulsed = (line > 0 ? number : -number) + (line > 0 ? by : -by);
    lines[at] = Math.sign(pulsed) * power(Math.abs(pulsed)) * scale;
  });
}

/** Fills lines with noise of the given energy. */
function fillWithNoise(
  lines: Float32Array,
  from: number,
  to: number,
  loudness: number,
  random: () => number,
): void {
  let energy = 0;
  for (let n = from; n < to; n += 1) {
    const value = random() - 0.5;
    lines[n] = value;
    energy += value * value;
  }
  const scale = energy === 0 ? 0 : loudness / Math.sqrt(energy);
  for (let n = from; n < to; n += 1) lines[n] = (lines[n] ?? 0) * scale;
}
