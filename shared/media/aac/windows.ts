import type { Bands } from './bands.ts';
import { AacError, type Bits } from './bits.ts';

/** The lines of a frame's spectrum. */
export const LINES = 1024;
/** A frame is one long window, or eight short ones. */
export const SHORT_WINDOWS = 8;

/** How a frame's windows lie. */
export type Windows = {
  /** 0: long, 1: long before short ones, 2: eight short ones, 3: long after short ones. */
  readonly sequence: number;
  /** 0: sine, 1: Kaiser-Bessel. */
  readonly shape: number;
  /** How many bands are sent. */
  readonly most: number;
  /** How many windows each group has; the windows of a group share their scale factors. */
  readonly groups: readonly number[];
};

export const LONG: Windows = { sequence: 0, shape: 0, most: 0, groups: [1] };

/** Where a line lies in the spectrum of its window, of 1024. */
export const lineInWindow = ({ sequence }: Windows, line: number): number =>
  sequence === 2 ? (line % (LINES / SHORT_WINDOWS)) * SHORT_WINDOWS : line;

/** `ics_info`, 4.4.6. */
export function readWindows(bits: Bits, bandsOf: (sequence: number) => Bands): Windows {
  bits.skip(1);
  const sequence = bits.read(2);
  const shape = bits.read(1);
  const short = sequence === 2;
  const most = bits.read(short ? 4 : 6);
  const groups = [1];
  if (short) {
    const joined = bits.read(SHORT_WINDOWS - 1);
    for (let bit = SHORT_WINDOWS - 2; bit >= 0; bit -= 1) {
      if ((joined >> bit) & 1) groups.push((groups.pop() ?? 0) + 1);
      else groups.push(1);
    }
  } else if (bits.flag()) throw new AacError('AAC with prediction');
  if (most >= bandsOf(sequence).offsets.length) throw new AacError('more bands than there are');
  return { sequence, shape, most, groups };
}

/** Calls back for each band of each window: its number in `books`, and where its lines are. */
export function eachBand(
  { most, groups }: Windows,
  { offsets }: Bands,
  call: (band: number, from: number, to: number) => void,
): void {
  let start = 0;
  for (let group = 0; group < groups.length; group += 1) {
    const end = start + ((groups[group] ?? 0) * LINES) / SHORT_WINDOWS;
    for (let band = 0; band < most; band += 1) {
      const from = offsets[band] ?? 0;
      const to = offsets[band + 1] ?? 0;
      for (let window = start; window < end; window += LINES / SHORT_WINDOWS)
        call(group * most + band, window + from, window + to);
    }
    start = end;
  }
}
