import { type Bands, bandsOf } from './bands.ts';
import { AacError, Bits } from './bits.ts';
import { type Channel, follows, isNoise, readChannel } from './channel.ts';
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
const MOST_CHANNELS = 8;

/**
 * Decodes AAC of low complexity to one channel, the mean of all, packet by packet. Since the transform is linear, the
 * channels are mixed before it: what is stereo costs little more than what is not.
 */
export class AacDecoder {
  readonly #headers: boolean;
  #config: AacConfig;
  #bands: ReturnType<typeof bandsOf>;
  readonly #filterbank = new Filterbank();
  /** The shape of each channel's last window. */
  #shapes: number[] = [];
  #seed = 1;
  /** How many channels the last packet had. */
  #share = 1;

  /**
   * `setup`: the AudioSpecificConfig, or empty where each packet has a header of its own (ADTS). Throws an AacError for
   * other kinds of AAC.
   */
  constructor(setup: Uint8Array) {
    this.#headers = setup.length === 0;
    this.#config = this.#headers ? { index: 4, rate: 44_100 } : aacConfig(setup);
    this.#bands = bandsOf(this.#config.index);
  }

  /** Of the last packet. */
  get rate(): number {
    return this.#config.rate;
  }

  /** The 1024 samples that a packet completes. Throws an AacError if it is broken; the next may be fine. */
  decode(packet: Uint8Array): Float32Array {
    try {
      this.#mix(this.#read(new Bits(this.#headers ? this.#headed(packet) : packet)));
    } catch (error) {
      // Half of its sound would be heard with the next packet's.
      this.#filterbank.reset();
      throw error;
    }
    return this.#filterbank.next(this.#share);
  }

  #headed(packet: Uint8Array): Uint8Array {
    const { size, ...config } = adtsConfig(packet);
    if (config.index !== this.#config.index) this.#bands = bandsOf(config.index);
    this.#config = config;
    return packet.subarray(size);
  }

  /** `raw_data_block`: channels, and what is passed over. */
  #read(bits: Bits): Channel[] {
    const channels: Channel[] = [];
    for (;;) {
      const part = bits.read(3);
      if (part === END || channels.length > MOST_CHANNELS) return channels;
      if (part === SINGLE || part === LOW) {
        bits.skip(4);
        channels.push(readChannel(bits, this.#bandsFor, this.#random));
      } else if (part === PAIR) channels.push(...this.#pair(bits));
      else if (part === BYTES) skipBytes(bits);
      else if (part === LAYOUT) skipLayout(bits);
      else if (part === FILL) skipFill(bits);
      else throw new AacError('AAC with coupled channels');
    }
  }

  /** `channel_pair_element`. */
  #pair(bits: Bits): [Channel, Channel] {
    bits.skip(4);
    const shared = bits.flag() ? readWindows(bits, this.#bandsFor) : undefined;
    const used = shared ? readUsed(bits, shared) : new Uint8Array();
    const left = readChannel(bits, this.#bandsFor, this.#random, shared);
    const right = readChannel(bits, this.#bandsFor, this.#random, shared);
    if (shared) pairUp(left, right, used, this.#bandsFor(shared.sequence));
    return [left, right];
  }

  #mix(channels: readonly Channel[]): void {
    const mixed: { readonly like: Channel; readonly before: number; readonly lines: Float32Array }[] = [];
    for (const [n, channel] of channels.entries()) {
      const { windows, lines, shaping } = channel;
      shape(lines, windows, this.#bandsFor(windows.sequence), shaping);
      const before = this.#shapes[n] ?? windows.shape;
      const known = mixed.find((one) => one.before === before && sameWindow(one.like.windows, windows));
      if (known) add(known.lines, lines);
      else mixed.push({ like: channel, before, lines });
    }
    this.#shapes = channels.map(({ windows }) => windows.shape);
    for (const { like, before, lines } of mixed) this.#filterbank.add(lines, like.windows, before);
    this.#share = channels.length;
  }

  readonly #bandsFor = (sequence: number): Bands => (sequence === 2 ? this.#bands.short : this.#bands.long);

  /** Noise for bands that are sent as such: any does, but it is the same each time. */
  readonly #random = (): number => {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
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
