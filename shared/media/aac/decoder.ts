import { type Bands, bandsOf } from './bands.ts';
import { AacError, Bits } from './bits.ts';
import { type Channel, follows, isNoise, newChannel, readChannel, type Reading } from './channel.ts';
import { aacConfig, type AacConfig, adtsConfig } from './config.ts';
import { Filterbank } from './filterbank.ts';
import { shape } from './shaping.ts';
import { eachBand, LINES, readWindows, type Windows } from './windows.ts';

/** The parts of a packet (4.4.2.1). */
const SINGLE = 0;
const PAIR = 1;
const LOW = 3;
const BYTES = 4;
const LAYOUT = 5;
const FILL = 6;
const END = 7;
const MAX_CHANNELS = 8;

/**
 * Decodes AAC of low complexity to one channel, the mean of all, packet by packet, at the lowest rate that holds what is
 * asked for. Since the transform is linear, the channels are mixed before it, and of a spectrum its lower half is the
 * same sound at half the rate: what is stereo, or goes up to 24 kHz, costs little more than what does not.
 */
export class AacDecoder {
  readonly #headers: boolean;
  readonly #highest: number;
  readonly #bits = new Bits();
  /** As many as a packet had at most. */
  readonly #channels: Channel[] = [];
  /** The shape of each channel's last window. */
  #shapes: number[] = [];
  #seed = 1;
  #stream: Stream;

  /**
   * `setup`: the AudioSpecificConfig, or empty where each packet has a header of its own (ADTS). `highest`: up to which
   * frequency all is to be heard, in Hz. Throws an AacError for other kinds of AAC.
   */
  constructor(setup: Uint8Array, highest: number) {
    this.#headers = setup.length === 0;
    this.#highest = highest;
    this.#stream = streamOf(this.#headers ? { index: 4, rate: 44_100 } : aacConfig(setup), highest);
  }

  /** Of what `decode` gives, as of the last packet. */
  get rate(): number {
    return this.#stream.config.rate / this.#stream.fold;
  }

  /** How many samples `decode` gives, as of the last packet. */
  get frame(): number {
    return LINES / this.#stream.fold;
  }

  /**
   * The samples that a packet completes, in an array that the next call writes into. Throws an AacError if it is broken;
   * the next may be fine.
   */
  decode(packet: Uint8Array): Float32Array {
    try {
      const bits = this.#bits.open(this.#headers ? this.#headed(packet) : packet);
      const count = this.#read(bits, this.#stream);
      this.#mix(count, this.#stream);
      return this.#stream.filterbank.next(count);
    } catch (error) {
      // Half of its sound would be heard with the next packet's.
      this.#stream.filterbank.reset();
      throw error;
    }
  }

  #headed(packet: Uint8Array): Uint8Array {
    const { size, ...config } = adtsConfig(packet);
    if (config.index !== this.#stream.config.index) this.#stream = streamOf(config, this.#highest);
    return packet.subarray(size);
  }

  /** `raw_data_block`: channels, of which it gives the number, and what is passed over. */
  #read(bits: Bits, stream: Stream): number {
    for (let count = 0; ;) {
      const part = bits.read(3);
      if (part === END || count > MAX_CHANNELS) return count;
      if (part === SINGLE || part === LOW) {
        bits.skip(4);
        readChannel(this.#channel(count), bits, this.#reading(stream));
        count += 1;
      } else if (part === PAIR) {
        this.#pair(bits, count, stream);
        count += 2;
      } else if (part === BYTES) skipBytes(bits);
      else if (part === LAYOUT) skipLayout(bits);
      else if (part === FILL) skipFill(bits);
      else throw new AacError('AAC with coupled channels');
    }
  }

  /** `channel_pair_element`. */
  #pair(bits: Bits, at: number, stream: Stream): void {
    bits.skip(4);
    const shared = bits.flag() ? readWindows(bits, stream.bandsOf) : undefined;
    const used = shared ? readUsed(bits, shared) : new Uint8Array();
    const begin = bits.at;
    const [left, right] = [this.#channel(at), this.#channel(at + 1)];
    const reading = this.#reading(stream);
    for (const channel of [left, right]) readChannel(channel, bits, reading, shared);
    if (!shared) return;
    if (left.shaping.length !== right.shaping.length) {
      // One of them needs all lines of the other, too.
      bits.at = begin;
      for (const channel of [left, right]) readChannel(channel, bits, { ...reading, heard: LINES }, shared);
    }
    pairUp(left, right, used, stream.bandsOf(shared.sequence));
  }

  #reading({ bandsOf: of, heard }: Stream): Reading {
    return { bandsOf: of, heard, random: this.#random };
  }

  #channel(n: number): Channel {
    return (this.#channels[n] ??= newChannel());
  }

  /** Channels whose windows are alike are added up before the transform. */
  #mix(count: number, { bandsOf: of, filterbank }: Stream): void {
    const channels = this.#channels.slice(0, count);
    for (const { lines, windows, shaping } of channels) shape(lines, windows, of(windows.sequence), shaping);
    const before = channels.map(({ windows }, n) => this.#shapes[n] ?? windows.shape);
    this.#shapes = channels.map(({ windows }) => windows.shape);
    for (let n = count - 1; n >= 0; n -= 1) {
      const channel = channels[n];
      if (!channel) continue;
      const { windows, lines } = channel;
      const like = channels.find((other, m) => before[m] === before[n] && sameWindow(other.windows, windows));
      if (like && like !== channel) add(like.lines, lines);
      else filterbank.add(lines, windows, before[n] ?? 0);
    }
  }

  /** Noise for bands that are sent as such: any does, but it is the same each time. */
  readonly #random = (): number => {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  };
}

/** What follows from the configuration of a stream. */
type Stream = {
  readonly config: AacConfig;
  readonly bandsOf: (sequence: number) => Bands;
  /** The part of the rate, and of the spectrum, that is decoded: 1, a half, a quarter. */
  readonly fold: number;
  readonly heard: number;
  readonly filterbank: Filterbank;
};

function streamOf(config: AacConfig, highest: number): Stream {
  const { long, short } = bandsOf(config.index);
  let fold = 1;
  while (config.rate / (fold * 2) >= highest * 2) fold *= 2;
  return {
    config,
    bandsOf: (sequence) => (sequence === 2 ? short : long),
    fold,
    heard: Math.ceil((highest / config.rate) * 2 * LINES),
    filterbank: new Filterbank(fold),
  };
}

const sameWindow = (a: Windows, b: Windows): boolean => a.sequence === b.sequence && a.shape === b.shape;

function add(to: Float32Array, lines: Float32Array): void {
  for (let n = 0; n < LINES; n += 1) to[n] = (to[n] ?? 0) + (lines[n] ?? 0);
}

/** Which bands of a pair are sent as sum and difference. */
function readUsed(bits: Bits, { groups, most }: Windows): Uint8Array {
  const used = new Uint8Array(groups.length * most);
  const kind = bits.read(2);
  if (kind === 3) throw new AacError('a pair of no known kind');
  if (kind === 2) return used.fill(1);
  return kind === 1 ? used.map(() => bits.read(1)) : used;
}

/** Left and right from sum and difference, and right from left where it is sent as the same at another loudness. */
function pairUp(left: Channel, right: Channel, used: Uint8Array, bands: Bands): void {
  eachBand(left.windows, bands, (band, from, to) => {
    const book = right.books[band];
    const turned = used[band] === 1;
    const follow = follows(book);
    if (follow !== 0) {
      const scale = (right.scales[band] ?? 0) * follow * (turned ? -1 : 1);
      for (let n = from; n < to; n += 1) right.lines[n] = (left.lines[n] ?? 0) * scale;
    } else if (turned && !isNoise(book) && !isNoise(left.books[band])) {
      for (let n = from; n < to; n += 1) {
        const sum = left.lines[n] ?? 0;
        const difference = right.lines[n] ?? 0;
        left.lines[n] = sum + difference;
        right.lines[n] = sum - difference;
      }
    }
  });
}

function skipBytes(bits: Bits): void {
  bits.skip(4);
  const aligned = bits.flag();
  const count = bits.read(8);
  const more = count === 255 ? bits.read(8) : 0;
  if (aligned) bits.align();
  bits.skip((count + more) * 8);
}

/** What lies above and to the sides in high efficiency is in here. */
function skipFill(bits: Bits): void {
  const count = bits.read(4);
  bits.skip((count === 15 ? 14 + bits.read(8) : count) * 8);
}

/** `program_config_element`: which channel is which, which does not matter to who mixes them all. */
function skipLayout(bits: Bits): void {
  bits.skip(10);
  const [front, side, back, low, data, coupled] = [4, 4, 4, 2, 3, 4].map((width) => bits.read(width));
  if (bits.flag()) bits.skip(4);
  if (bits.flag()) bits.skip(4);
  if (bits.flag()) bits.skip(3);
  bits.skip(5 * ((front ?? 0) + (side ?? 0) + (back ?? 0) + (coupled ?? 0)) + 4 * ((low ?? 0) + (data ?? 0)));
  bits.align();
  bits.skip(8 * bits.read(8));
}
