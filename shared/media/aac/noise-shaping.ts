import type { ScaleFactorBands } from './bands.ts';
import { AacError, type BitReader } from './bit-reader.ts';
import { LINES, SHORT_WINDOWS, type WindowLayout } from './windows.ts';

/** A TNS filter over some bands of a window (temporal noise shaping, 4.6.9). */
export type TnsFilter = {
  /** The number of bands, counted downwards from the start of the previous filter. */
  readonly bands: number;
  readonly isDownwards: boolean;
  readonly coefficients: Float32Array;
};

/** Parses `tns_data`, 4.4.2.7: the filters of each window. */
export function readTnsFilters(bits: BitReader, { sequence }: WindowLayout): TnsFilter[][] {
  const isShort = sequence === 2;
  return Array.from({ length: isShort ? SHORT_WINDOWS : 1 }, () => {
    const count = bits.read(isShort ? 1 : 2);
    if (count === 0) return [];
    const resolution = bits.read(1) + 3;
    return Array.from({ length: count }, () => readFilter(bits, isShort, resolution));
  });
}

function readFilter(bits: BitReader, isShort: boolean, resolution: number): TnsFilter {
  const bands = bits.read(isShort ? 4 : 6);
  const order = bits.read(isShort ? 3 : 5);
  if (order > (isShort ? 7 : 12)) throw new AacError('a filter that is too long');
  if (order === 0) return { bands, isDownwards: false, coefficients: new Float32Array() };
  const isDownwards = bits.readFlag();
  const width = resolution - bits.read(1);
  const steps = Array.from({ length: order }, () => {
    const value = bits.read(width);
    return value >= 1 << (width - 1) ? value - (1 << width) : value;
  });
  return { bands, isDownwards, coefficients: toCoefficients(steps, resolution) };
}

/** Converts the transmitted coefficients to filter coefficients. */
function toCoefficients(steps: readonly number[], resolution: number): Float32Array {
  const half = 2 ** (resolution - 1);
  const filter = new Float32Array(steps.length);
  for (const [m, step] of steps.entries()) {
    const reflection = Math.sin((step * Math.PI) / 2 / (step >= 0 ? half - 0.5 : half + 0.5));
    const before = filter.slice(0, m);
    for (let n = 0; n < m; n += 1) {
      filter[n] = (before[n] ?? 0) + reflection * (before[m - 1 - n] ?? 0);
    }
    filter[m] = reflection;
  }
  return filter;
}

/** Applies all filters to the lines. */
export function applyTnsFilters(
  lines: Float32Array,
  { bandCount: maxBands }: WindowLayout,
  { offsets, tnsBands: shaped }: ScaleFactorBands,
  shaping: readonly (readonly TnsFilter[])[],
): void {
  const highest = Math.min(shaped, maxBands);
  for (const [window, filters] of shaping.entries()) {
    const start = (window * LINES) / SHORT_WINDOWS;
    let top = offsets.length - 1;
    for (const { bands, isDownwards: down, coefficients: filter } of filters) {
      const bottom = Math.max(0, top - bands);
      const from = start + (offsets[Math.min(bottom, highest)] ?? 0);
      const to = start + (offsets[Math.min(top, highest)] ?? 0);
      top = bottom;
      if (filter.length > 0 && to > from)
        applyFilter(lines, down ? to - 1 : from, to - from, down ? -1 : 1, filter);
    }
  }
}

function applyFilter(
  lines: Float32Array,
  from: number,
  count: number,
  step: number,
  filter: Float32Array,
): void {
  for (let n = 0; n < count; n += 1) {
    let value = lines[from + n * step] ?? 0;
    const known = Math.min(n, filter.length);
    let before = from + (n - 1) * step;
    for (let k = 0; k < known; k += 1, before -= step) value -= (filter[k] ?? 0) * (lines[before] ?? 0);
    lines[from + n * step] = value;
  }
}
