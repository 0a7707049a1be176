import { AacError } from './bit-reader.ts';

/** First lines of the scale factor bands, and how many of them TNS may filter: ISO/IEC 14496-3, tables 4.129 ff. */
export type ScaleFactorBands = { readonly offsets: readonly number[]; readonly tnsBands: number };

/** Widths of consecutive bands: `4x10` means ten bands of four lines. */
function toOffsets(widths: string): number[] {
  const offsets = [0];
  for (const run of widths.split(' ')) {
    const [width = 0, times = 1] = run.split('x').map(Number);
    for (let n = 0; n < times; n += 1) offsets.push((offsets.at(-1) ?? 0) + width);
  }
  return offsets;
}

const LONG = {
  r96: '4x14 8x5 12x5 16x2 24 28 36 44 64x11',
  r64: '4x14 8x4 12x3 16x3 20 24x2 28 36 40x18',
  r48: '4x10 8x7 12x4 16x2 20x2 24x2 28x2 32x19 96',
  r32: '4x10 8x7 12x4 16x2 20x2 24x2 28x2 32x22',
  r24: '4x11 8x10 12x4 16x3 20x2 24x2 28x2 32 36x2 40 44 48 52x2 64x5',
  r16: '8x11 12x9 16x4 20x3 24x2 28x2 32 36 40x2 44 48 52 56 60 64x3',
  r8: '12x13 16x7 20x4 24x3 28x2 32 36x2 40 44 48 52 56 60 64 80',
} as const;
const SHORT = {
  r96: '4x6 8x3 16 28 36',
  r64: '4x6 8x3 16 28 36',
  r48: '4x5 8x3 12x3 16x3',
  r24: '4x7 8x3 12x2 16x2 20',
  r16: '4x8 8x2 12x2 16 20x2',
  r8: '4x7 8x4 12 16 20x2',
} as const;

type BandTableRow = readonly [
  long: keyof typeof LONG,
  shapedLong: number,
  short: keyof typeof SHORT,
  shapedShort: number,
];

/** One row per sample rate of the standard, from 96 kHz down. */
const ROWS: readonly BandTableRow[] = [
  ['r96', 31, 'r96', 9],
  ['r96', 31, 'r96', 9],
  ['r64', 34, 'r64', 10],
  ['r48', 40, 'r48', 14],
  ['r48', 42, 'r48', 14],
  ['r32', 51, 'r48', 14],
  ['r24', 46, 'r24', 14],
  ['r24', 46, 'r24', 14],
  ['r16', 42, 'r16', 14],
  ['r16', 42, 'r16', 14],
  ['r16', 42, 'r16', 14],
  ['r8', 39, 'r8', 14],
];

/** Returns the bands of a long window and of a short window, for a sampling frequency index. */
export function getBands(index: number): {
  readonly long: ScaleFactorBands;
  readonly short: ScaleFactorBands;
} {
  const row = ROWS[index];
  if (!row) throw new AacError('AAC with an unknown sample rate');
  const [long, tnsLong, short, tnsShort] = row;
  return {
    long: { offsets: toOffsets(LONG[long]), tnsBands: tnsLong },
    short: { offsets: toOffsets(SHORT[short]), tnsBands: tnsShort },
  };
}
