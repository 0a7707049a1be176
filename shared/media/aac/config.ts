import { AacError, BitReader } from './bit-reader.ts';

/** The configuration of an AAC stream. */
export type AacConfig = {
  /** The sampling frequency index, which selects the tables. */
  readonly index: number;
  readonly rate: number;
};

const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const LOW_COMPLEXITY = 2;
/** Object types of HE-AAC: an AAC-LC stream with spectral band replication (5) and parametric stereo (29). */
const SPECTRAL_BAND_REPLICATION = 5;
const PARAMETRIC_STEREO = 29;

/**
 * Parses an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). Of HE-AAC only the AAC-LC stream is decoded, at half the rate:
 * speech has little above 8 kHz, and chunks hold nothing above it. Throws an AacError for other object types.
 */
export function parseAudioSpecificConfig(bytes: Uint8Array): AacConfig {
  const bits = new BitReader().open(bytes);
  let type = readObjectType(bits);
  const config = readFrequency(bits);
  bits.skip(4);
  if (type === SPECTRAL_BAND_REPLICATION || type === PARAMETRIC_STEREO) {
    readFrequency(bits);
    type = readObjectType(bits);
  }
  if (type !== LOW_COMPLEXITY) throw new AacError(`AAC of type ${type}`);
  if (bits.remaining > 0 && bits.readFlag()) throw new AacError('AAC in frames of 960 samples');
  return config;
}

/** Parses the ADTS header before each packet of a raw AAC file (1.A.3.2). `size` is its length in bytes. */
export function parseAdtsHeader(packet: Uint8Array): AacConfig & { readonly size: number } {
  const [first = 0, second = 0, third = 0] = packet;
  if (first !== 0xff || (second & 0xf6) !== 0xf0) throw new AacError('no ADTS header');
  if (third >> 6 !== LOW_COMPLEXITY - 1) throw new AacError(`AAC of type ${(third >> 6) + 1}`);
  const index = (third >> 2) & 15;
  // A checksum follows when the last bit of the second byte is 0.
  return { ...getConfig(index), size: (second & 1) === 0 ? 9 : 7 };
}

function readObjectType(bits: BitReader): number {
  const type = bits.read(5);
  return type === 31 ? 32 + bits.read(6) : type;
}

function readFrequency(bits: BitReader): AacConfig {
  const index = bits.read(4);
  if (index !== 15) return getConfig(index);
  const rate = bits.read(24);
  // Uses the tables of the nearest rate; table 4.82 has the bounds.
  const bounds = [92_017, 75_132, 55_426, 46_009, 37_566, 27_713, 23_004, 18_783, 13_856, 11_502, 9_391];
  const nearest = bounds.findIndex((bound) => rate >= bound);
  return { index: nearest === -1 ? 11 : nearest, rate };
}

function getConfig(index: number): AacConfig {
  const rate = SAMPLE_RATES[index];
  if (rate === undefined) throw new AacError('AAC with an unknown sample rate');
  return { index: Math.min(index, 11), rate };
}
