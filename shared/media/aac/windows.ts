import type { ScaleFactorBands } from './bands.ts';
import { AacError, type BitReader } from './bit-reader.ts';

/** Spectral lines per frame. */
export const LINES = 1024;
/** A frame has one long window or eight short ones. */
export const SHORT_WINDOWS = 8;

/** The window configuration of a frame. */
export type WindowLayout = {
  /** 0: long, 1: long before short, 2: eight short, 3: long after short. */
  readonly sequence: number;
  /** 0: sine, 1: Kaiser-Bessel. */
  readonly shape: number;
  /** The number of transmitted bands. */
  readonly bandCount: number;
  /** The number of windows per group; the windows of a group share their scale factors. */
  readonly groups: readonly number[];
};

export const LONG: WindowLayout = { sequence: 0, shape: 0, bandCount: 0, groups: [1] };

/** Returns the frequency position of a line, from 0 to 1024, in its window. */
export const getFrequencyPosition = ({ sequence }: WindowLayout, line: number): number =>
  sequence === 2 ? (line % (LINES / SHORT_WINDOWS)) * SHORT_WINDOWS : line;

/** Parses `ics_info`, 4.4.6. */
export function readWindows(bits: BitReader, bandsOf: (sequence: number) => ScaleFactorBands): WindowLayout {
  bits.skip(1);
  const sequence = bits.read(2);
  const shape = bits.read(1);
  const isShort = sequence === 2;
  const bandCount = bits.read(isShort ? 4 : 6);
  const groups = [1];
  if (isShort) {
    const grouping = bits.read(SHORT_WINDOWS - 1);
    for (let bit = SHORT_WINDOWS - 2; bit >= 0; bit -= 1) {
      if ((grouping >> bit) & 1) groups.push((groups.pop() ?? 0) + 1);
      else groups.push(1);
    }
  } else if (bits.readFlag()) throw new AacError('AAC with prediction');
  if (bandCount >= bandsOf(sequence).offsets.length) throw new AacError('too many bands');
  return { sequence, shape, bandCount, groups };
}

/** Calls `call` for each band of each window, with its index in `codebooks` and its line range. */
export function forEachBand(
  { bandCount, groups }: WindowLayout,
  { offsets }: ScaleFactorBands,
  call: (band: number, from: number, to: number) => void,
): void {
  let start = 0;
  for (let group = 0; group < groups.length; group += 1) {
    const end = start + ((groups[group] ?? 0) * LINES) / SHORT_WINDOWS;
    for (let band = 0; band < bandCount; band += 1) {
      const from = offsets[band] ?? 0;
      const to = offsets[band + 1] ?? 0;
      for (let window = start; window < end; window += LINES / SHORT_WINDOWS)
        call(group * bandCount + band, window + from, window + to);
    }
    start = end;
  }
}
