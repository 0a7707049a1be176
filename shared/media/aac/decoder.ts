import { type ScaleFactorBands, getBands } from './bands.ts';
import { AacError, BitReader } from './bit-reader.ts';
import {
  type Channel,
  getIntensitySign,
  isNoiseCodebook,
  createChannel,
  readChannel,
  type ChannelContext,
} from './channel.ts';
import { parseAudioSpecificConfig, type AacConfig, parseAdtsHeader } from './config.ts';
import { Filterbank } from './filterbank.ts';
import { applyTnsFilters } from './noise-shaping.ts';
import { forEachBand, LINES, readWindows, type WindowLayout } from './windows.ts';

/** Syntactic elements of a packet (4.4.2.1). */
const SINGLE_CHANNEL = 0;
const CHANNEL_PAIR = 1;
const LOW_FREQUENCY_CHANNEL = 3;
const DATA_STREAM = 4;
const PROGRAM_CONFIG = 5;
const FILL = 6;
const END = 7;
const MAX_CHANNELS = 8;

/**
 * Decodes AAC-LC packets to mono, the mean of all channels, at the lowest sample rate that keeps all frequencies up to
 * `maxHz`. The transform is linear, so channels are mixed before it, and the lower half of a spectrum is the same audio at
 * half the rate: stereo and high sample rates cost little more.
 */
export class AacDecoder {
  readonly #hasAdtsHeaders: boolean;
  readonly #maxHz: number;
  readonly #bits = new BitReader();
  /** One per channel of the packet with the most channels. */
  readonly #channels: Channel[] = [];
  /** The window shape of each channel in the last packet. */
  #shapes: number[] = [];
  #seed = 1;
  #stream: StreamState;

  /**
   * `setup`: the AudioSpecificConfig, or empty when each packet has an ADTS header. `maxHz`: the highest frequency to
   * keep. Throws an AacError for unsupported object types.
   */
  constructor(setup: Uint8Array, maxHz: number) {
    this.#hasAdtsHeaders = setup.length === 0;
    this.#maxHz = maxHz;
    this.#stream = createStreamState(
      this.#hasAdtsHeaders ? { index: 4, rate: 44_100 } : parseAudioSpecificConfig(setup),
      maxHz,
    );
  }

  /** The sample rate of `decode`, in Hz, after the last packet. */
  get rate(): number {
    return this.#stream.config.rate / this.#stream.divisor;
  }

  /** The number of samples that `decode` returns, after the last packet. */
  get frameLength(): number {
    return LINES / this.#stream.divisor;
  }

  /**
   * Returns the samples that a packet completes, in an array that the next call overwrites. Throws an AacError for a broken
   * packet; the next packet may be valid.
   */
  decode(packet: Uint8Array): Float32Array {
    try {
      const bits = this.#bits.open(this.#hasAdtsHeaders ? this.#removeAdtsHeader(packet) : packet);
      const count = this.#read(bits, this.#stream);
      this.#mix(count, this.#stream);
      return this.#stream.filterbank.next(count);
    } catch (error) {
      // Otherwise its overlap would be added to the next packet.
      this.#stream.filterbank.reset();
      throw error;
    }
  }

  #removeAdtsHeader(packet: Uint8Array): Uint8Array {
    const { size, ...config } = parseAdtsHeader(packet);
    if (config.index !== this.#stream.config.index) this.#stream = createStreamState(config, this.#maxHz);
    return packet.subarray(size);
  }

  /** Parses `raw_data_block`. Returns the number of channels. */
  #read(bits: BitReader, stream: StreamState): number {
    for (let count = 0; ;) {
      const element = bits.read(3);
      if (element === END || count > MAX_CHANNELS) return count;
      if (element === SINGLE_CHANNEL || element === LOW_FREQUENCY_CHANNEL) {
        bits.skip(4);
        readChannel(this.#channel(count), bits, this.#context(stream));
        count += 1;
      } else if (element === CHANNEL_PAIR) {
        this.#readPair(bits, count, stream);
        count += 2;
      } else if (element === DATA_STREAM) skipDataStream(bits);
      else if (element === PROGRAM_CONFIG) skipProgramConfig(bits);
      else if (element === FILL) skipFill(bits);
      else throw new AacError('AAC with channel coupling');
    }
  }

  /** Parses `channel_pair_element`. */
  #readPair(bits: BitReader, at: number, stream: StreamState): void {
    bits.skip(4);
    const shared = bits.readFlag() ? readWindows(bits, stream.getBands) : undefined;
    const midSide = shared ? readMidSideBands(bits, shared) : new Uint8Array();
    const start = bits.position;
    const [left, right] = [this.#channel(at), this.#channel(at + 1)];
    const context = this.#context(stream);
    for (const channel of [left, right]) readChannel(channel, bits, context, shared);
    if (!shared) return;
    if (left.filters.length !== right.filters.length) {
      // TNS on one channel needs all lines of the other, too.
      bits.position = start;
      for (const channel of [left, right])
        readChannel(channel, bits, { ...context, lineCount: LINES }, shared);
    }
    decodeStereo(left, right, midSide, stream.getBands(shared.sequence));
  }

  #context({ getBands: of, lineCount }: StreamState): ChannelContext {
    return { getBands: of, lineCount, random: this.#random };
  }

  #channel(n: number): Channel {
    return (this.#channels[n] ??= createChannel());
  }

  /** Adds channels with equal windows before the transform. */
  #mix(count: number, { getBands: of, filterbank }: StreamState): void {
    const channels = this.#channels.slice(0, count);
    for (const { lines, windows, filters: shaping } of channels)
      applyTnsFilters(lines, windows, of(windows.sequence), shaping);
    const previousShapes = channels.map(({ windows }, n) => this.#shapes[n] ?? windows.shape);
    this.#shapes = channels.map(({ windows }) => windows.shape);
    for (let n = count - 1; n >= 0; n -= 1) {
      const channel = channels[n];
      if (!channel) continue;
      const { windows, lines } = channel;
      const equalChannel = channels.find(
        (other, m) => previousShapes[m] === previousShapes[n] && hasSameWindow(other.windows, windows),
      );
      if (equalChannel && equalChannel !== channel) addLines(equalChannel.lines, lines);
      else filterbank.add(lines, windows, previousShapes[n] ?? 0);
    }
  }

  /** Pseudo-random numbers for noise bands; equal for equal input. */
  readonly #random = (): number => {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  };
}

/** Values that follow from the configuration of a stream. */
type StreamState = {
  readonly config: AacConfig;
  readonly getBands: (sequence: number) => ScaleFactorBands;
  /** The divisor of the sample rate and of the spectrum: 1, 2, 4. */
  readonly divisor: number;
  readonly lineCount: number;
  readonly filterbank: Filterbank;
};

function createStreamState(config: AacConfig, maxHz: number): StreamState {
  const { long, short } = getBands(config.index);
  let divisor = 1;
  while (config.rate / (divisor * 2) >= maxHz * 2) divisor *= 2;
  return {
    config,
    getBands: (sequence) => (sequence === 2 ? short : long),
    divisor,
    lineCount: Math.ceil((maxHz / config.rate) * 2 * LINES),
    filterbank: new Filterbank(divisor),
  };
}

const hasSameWindow = (a: WindowLayout, b: WindowLayout): boolean =>
  a.sequence === b.sequence && a.shape === b.shape;

function addLines(to: Float32Array, lines: Float32Array): void {
  for (let n = 0; n < LINES; n += 1) to[n] = (to[n] ?? 0) + (lines[n] ?? 0);
}

/** Parses which bands of a pair are coded as mid and side. */
function readMidSideBands(bits: BitReader, { groups, bandCount: maxBands }: WindowLayout): Uint8Array {
  const midSide = new Uint8Array(groups.length * maxBands);
  const kind = bits.read(2);
  if (kind === 3) throw new AacError('an unknown kind of stereo coding');
  if (kind === 2) return midSide.fill(1);
  return kind === 1 ? midSide.map(() => bits.read(1)) : midSide;
}

/** Converts mid/side to left/right, and applies intensity stereo to the right channel. */
function decodeStereo(left: Channel, right: Channel, midSide: Uint8Array, bands: ScaleFactorBands): void {
  forEachBand(left.windows, bands, (band, from, to) => {
    const book = right.codebooks[band];
    const isMidSide = midSide[band] === 1;
    const intensitySign = getIntensitySign(book);
    if (intensitySign !== 0) {
      const scale = (right.scales[band] ?? 0) * intensitySign * (isMidSide ? -1 : 1);
      for (let n = from; n < to; n += 1) right.lines[n] = (left.lines[n] ?? 0) * scale;
    } else if (isMidSide && !isNoiseCodebook(book) && !isNoiseCodebook(left.codebooks[band])) {
      for (let n = from; n < to; n += 1) {
        const sum = left.lines[n] ?? 0;
        const difference = right.lines[n] ?? 0;
        left.lines[n] = sum + difference;
        right.lines[n] = sum - difference;
      }
    }
  });
}

function skipDataStream(bits: BitReader): void {
  bits.skip(4);
  const isAligned = bits.readFlag();
  const count = bits.read(8);
  const more = count === 255 ? bits.read(8) : 0;
  if (isAligned) bits.align();
  bits.skip((count + more) * 8);
}

/** Fill elements hold the extension data of HE-AAC. */
function skipFill(bits: BitReader): void {
  const count = bits.read(4);
  bits.skip((count === 15 ? 14 + bits.read(8) : count) * 8);
}

/** Skips `program_config_element`: the channel layout does not matter for a mono mix. */
function skipProgramConfig(bits: BitReader): void {
  bits.skip(10);
  const [front, side, back, low, data, coupled] = [4, 4, 4, 2, 3, 4].map((width) => bits.read(width));
  if (bits.readFlag()) bits.skip(4);
  if (bits.readFlag()) bits.skip(4);
  if (bits.readFlag()) bits.skip(3);
  bits.skip(5 * ((front ?? 0) + (side ?? 0) + (back ?? 0) + (coupled ?? 0)) + 4 * ((low ?? 0) + (data ?? 0)));
  bits.align();
  bits.skip(8 * bits.read(8));
}
