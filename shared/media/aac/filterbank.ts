import { bessel } from '../bessel.ts';
import { LINES, SHORT_WINDOWS, type WindowLayout } from './windows.ts';
import { InverseMdct } from './inverse-mdct.ts';

const SHORT = LINES / SHORT_WINDOWS;

/** Rising halves of the window shapes: sine and Kaiser-Bessel (4.6.11.3.2). */
const RISING_SLOPES = {
  long: [sineSlope(LINES), kaiserBesselSlope(LINES, 4)],
  short: [sineSlope(SHORT), kaiserBesselSlope(SHORT, 6)],
} as const;

function sineSlope(length: number): Float32Array {
  return Float32Array.from({ length }, (_, n) => Math.sin((Math.PI / (2 * length)) * (n + 0.5)));
}

function kaiserBesselSlope(length: number, alpha: number): Float32Array {
  const kernel = Array.from({ length: length + 1 }, (_, n) =>
    bessel(Math.PI * alpha * Math.sqrt(1 - ((2 * n) / length - 1) ** 2)),
  );
  const total = kernel.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  return Float32Array.from({ length }, (_, n) => Math.sqrt((sum += kernel[n] ?? 0) / total));
}

type Slopes = readonly [sine: Float32Array, kaiserBessel: Float32Array];

/**
 * Converts spectra to samples, frame by frame, at the original rate or at a half, a quarter, ... of it by using only the
 * lower lines of each window. Several channels can be added to one frame.
 */
export class Filterbank {
  readonly #lines: number;
  readonly #shortLines: number;
  readonly #long: InverseMdct;
  readonly #short: InverseMdct;
  readonly #slopes: { readonly long: Slopes; readonly short: Slopes; readonly steep: Slopes };
  readonly #wave: Float32Array;
  /** The samples of this frame, and the part that overlaps with the next. */
  readonly #samples: Float32Array;
  readonly #out: Float32Array;

  constructor(divisor: number) {
    this.#lines = LINES / divisor;
    this.#shortLines = SHORT / divisor;
    this.#long = new InverseMdct(this.#lines);
    this.#short = new InverseMdct(this.#shortLines);
    const short = mapSlopes(RISING_SLOPES.short, (slope) => downsampleSlope(slope, divisor));
    this.#slopes = {
      long: mapSlopes(RISING_SLOPES.long, (slope) => downsampleSlope(slope, divisor)),
      short,
      steep: mapSlopes(short, (slope) => toTransitionSlope(slope, this.#lines)),
    };
    this.#wave = new Float32Array(2 * this.#lines);
    this.#samples = new Float32Array(2 * this.#lines);
    this.#out = new Float32Array(this.#lines);
  }

  /** Adds a channel to this frame. `before` is the window shape of this channel in the last frame. */
  add(lines: Float32Array, windows: WindowLayout, before: number): void {
    if (windows.sequence === 2) this.#addShort(lines, windows.shape, before);
    else this.#addLong(lines, windows, before);
  }

  /**
   * Ends the frame. Returns its samples, the mean of `channels` channels with full scale 1, in an array that the next call
   * overwrites.
   */
  next(channels: number): Float32Array {
    const out = this.#out;
    const samples = this.#samples;
    // 2 / N of the transform, and the 16-bit scale of the spectrum.
    const scale = 1 / (LINES * 32_768 * Math.max(1, channels));
    for (let n = 0; n < out.length; n += 1) out[n] = (samples[n] ?? 0) * scale;
    samples.copyWithin(0, this.#lines);
    samples.fill(0, this.#lines);
    return out;
  }

  /** Clears the overlap with the last frame. */
  reset(): void {
    this.#samples.fill(0);
  }

  #addLong(lines: Float32Array, { sequence, shape }: WindowLayout, before: number): void {
    const { long, steep } = this.#slopes;
    this.#long.run(lines, 0, this.#wave);
    const up = getSlope(sequence === 3 ? steep : long, before);
    addWindowed(this.#wave, up, getSlope(sequence === 1 ? steep : long, shape), 1, this.#samples, 0);
  }

  #addShort(lines: Float32Array, shape: number, before: number): void {
    const { short } = this.#slopes;
    const length = this.#shortLines;
    for (let window = 0; window < SHORT_WINDOWS; window += 1) {
      this.#short.run(lines, window * SHORT, this.#wave);
      const up = getSlope(short, window === 0 ? before : shape);
      const at = (this.#lines - length) / 2 + window * length;
      // The transform is eight times shorter, so its factor is eight times larger.
      addWindowed(this.#wave, up, getSlope(short, shape), SHORT_WINDOWS, this.#samples, at);
    }
  }
}

const getSlope = (slopes: Slopes, shape: number): Float32Array => slopes[shape === 1 ? 1 : 0];

/** Adds a windowed transform to the samples. */
function addWindowed(
  wave: Float32Array,
  up: Float32Array,
  down: Float32Array,
  factor: number,
  samples: Float32Array,
  at: number,
): void {
  const length = up.length;
  const last = at + 2 * length - 1;
  for (let n = 0; n < length; n += 1) {
    samples[at + n] = (samples[at + n] ?? 0) + (wave[n] ?? 0) * (up[n] ?? 0) * factor;
    samples[last - n] = (samples[last - n] ?? 0) + (wave[2 * length - 1 - n] ?? 0) * (down[n] ?? 0) * factor;
  }
}

const mapSlopes = ([sines, kaiserBessels]: Slopes, make: (slope: Float32Array) => Float32Array): Slopes => [
  make(sines),
  make(kaiserBessels),
];

/** A window slope at a lower rate. Root mean squares keep the sum of squares of rising and falling slopes at one. */
function downsampleSlope(slope: Float32Array, divisor: number): Float32Array {
  return Float32Array.from({ length: slope.length / divisor }, (_, n) =>
    Math.sqrt(
      slope.subarray(n * divisor, (n + 1) * divisor).reduce((sum, value) => sum + value ** 2, 0) / divisor,
    ),
  );
}

/** The slope of a long window next to short ones: zeros, then the slope of a short window, then ones. */
function toTransitionSlope(short: Float32Array, length: number): Float32Array {
  const flat = (length - short.length) / 2;
  const all = new Float32Array(length).fill(1, flat + short.length);
  all.set(short, flat);
  return all;
}
