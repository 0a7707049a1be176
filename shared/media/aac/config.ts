import { AacError, Bits } from './bits.ts';

/** How the packets of a stream are to be read. */
export type AacConfig = {
  /** Which of the standard's rates, that is, which tables. */
  readonly index: number;
  readonly rate: number;
};

const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const LOW_COMPLEXITY = 2;
/** High efficiency: a stream of low complexity, and beside it how to guess what lies above and to the sides. */
const BANDS_ABOVE = 5;
const STEREO_GUESSED = 29;

/**
 * Reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). Of high efficiency only the stream within is decoded, at half
 * the rate: speech has little above 8 kHz, and models that listen are sent nothing above. Throws an AacError for other
 * kinds of AAC.
 */
export function aacConfig(bytes: Uint8Array): AacConfig {
  const bits = new Bits().open(bytes);
  let type = objectType(bits);
  const found = frequency(bits);
  bits.skip(4);
  if (type === BANDS_ABOVE || type === STEREO_GUESSED) {
    frequency(bits);
    type = objectType(bits);
  }
  if (type !== LOW_COMPLEXITY) throw new AacError(`AAC of type ${type}`);
  if (bits.left > 0 && bits.flag()) throw new AacError('AAC in frames of 960 samples');
  return found;
}

/** Reads the header that stands before each packet in a file of bare AAC (ADTS, 1.A.3.2); `size` is its length in bytes. */
export function adtsConfig(packet: Uint8Array): AacConfig & { readonly size: number } {
  const [first = 0, second = 0, third = 0] = packet;
  if (first !== 0xff || (second & 0xf6) !== 0xf0) throw new AacError('no header of AAC');
  if (third >> 6 !== LOW_COMPLEXITY - 1) throw new AacError(`AAC of type ${(third >> 6) + 1}`);
  const index = (third >> 2) & 15;
  // Where the second byte's last bit is 0, a checksum follows.
  return { ...rateOf(index), size: (second & 1) === 0 ? 9 : 7 };
}

function objectType(bits: Bits): number {
  const type = bits.read(5);
  return type === 31 ? 32 + bits.read(6) : type;
}

function frequency(bits: Bits): AacConfig {
  const index = bits.read(4);
  if (index !== 15) return rateOf(index);
  const rate = bits.read(24);
  // The tables are those of the nearest rate: table 4.82 has the bounds.
  const bounds = [92_017, 75_132, 55_426, 46_009, 37_566, 27_713, 23_004, 18_783, 13_856, 11_502, 9_391];
  const nearest = bounds.findIndex((bound) => rate >= bound);
  return { index: nearest === -1 ? 11 : nearest, rate };
}

function rateOf(index: number): AacConfig {
  const rate = RATES[index];
  if (rate === undefined) throw new AacError('AAC of no known rate');
  return { index: Math.min(index, 11), rate };
}
