import { LINES, SHORT_WINDOWS, type Windows } from './windows.ts';
import { Transform } from './transform.ts';

const SHORT = LINES / SHORT_WINDOWS;

/** Rising halves of the windows: sine and Kaiser-Bessel (4.6.11.3.2). */
const rise = {
  long: [sine(LINES), kaiserBessel(LINES, 4)],
  short: [sine(SHORT), kaiserBessel(SHORT, 6)],
} as const;

function sine(length: number): Float32Array {
  return Float32Array.from({ length }, (_, n) => Math.sin((Math.PI / (2 * length)) * (n + 0.5)));
}

function kaiserBessel(length: number, alpha: number): Float32Array {
  const kernel = Array.from({ length: length + 1 }, (_, n) =>
    bessel(Math.PI * alpha * Math.sqrt(1 - ((2 * n) / length - 1) ** 2)),
  );
  const total = kernel.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  return Float32Array.from({ length }, (_, n) => Math.sqrt((sum += kernel[n] ?? 0) / total));
}

function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-12; n += 1) sum += term *= (x / (2 * n)) ** 2;
  return sum;
}

type Slopes = readonly [sine: Float32Array, kaiserBessel: Float32Array];

/**
 * Turns the spectra of frame after frame into sound, at the rate that they were made for or at a half, a quarter, ... of
 * it: then only the lower lines of each window are used. Several channels may be given one after the other for a frame:
 * their sound adds up.
 */
export class Filterbank {
  readonly #lines: number;
  readonly #lengths: number;
  readonly #long: Transform;
  readonly #short: Transform;
  readonly #slopes: { readonly long: Slopes; readonly short: Slopes; readonly steep: Slopes };
  readonly #wave: Float32Array;
  /** This frame's sound, and the part of it that the next one is added to. */
  readonly #sound: Float32Array;
  readonly #out: Float32Array;

  constructor(fold: number) {
    this.#lines = LINES / fold;
    this.#lengths = SHORT / fold;
    this.#long = new Transform(this.#lines);
    this.#short = new Transform(this.#lengths);
    const short = both(rise.short, (slope) => folded(slope, fold));
    this.#slopes = {
      long: both(rise.long, (slope) => folded(slope, fold)),
      short,
      steep: both(short, (slope) => steepened(slope, this.#lines)),
    };
    this.#wave = new Float32Array(2 * this.#lines);
    this.#sound = new Float32Array(2 * this.#lines);
    this.#out = new Float32Array(this.#lines);
  }

  /** Adds a channel to this frame. `before` is the shape of the window that this channel had in the last frame. */
  add(lines: Float32Array, windows: Windows, before: number): void {
    if (windows.sequence === 2) this.#addShort(lines, windows.shape, before);
    else this.#addLong(lines, windows, before);
  }

  /**
   * The sound of this frame, the mean of so many channels, full being 1, in an array that the next call writes into; goes
   * on to the next one.
   */
  next(channels: number): Float32Array {
    const out = this.#out;
    const sound = this.#sound;
    // 2 / N of the transform, and the 16 bits that the spectrum is scaled for.
    const scale = 1 / (LINES * 32_768 * Math.max(1, channels));
    for (let n = 0; n < out.length; n += 1) out[n] = (sound[n] ?? 0) * scale;
    sound.copyWithin(0, this.#lines);
    sound.fill(0, this.#lines);
    return out;
  }

  /** Forgets the last frame: what comes next does not go with it. */
  reset(): void {
    this.#sound.fill(0);
  }

  #addLong(lines: Float32Array, { sequence, shape }: Windows, before: number): void {
    const { long, steep } = this.#slopes;
    this.#long.run(lines, 0, this.#wave);
    const up = slopeOf(sequence === 3 ? steep : long, before);
    windowed(this.#wave, up, slopeOf(sequence === 1 ? steep : long, shape), 1, this.#sound, 0);
  }

  #addShort(lines: Float32Array, shape: number, before: number): void {
    const { short } = this.#slopes;
    const length = this.#lengths;
    for (let window = 0; window < SHORT_WINDOWS; window += 1) {
      this.#short.run(lines, window * SHORT, this.#wave);
      const up = slopeOf(short, window === 0 ? before : shape);
      const at = (this.#lines - length) / 2 + window * length;
      // Eight times as short a transform, whose factor is eight times as large.
      windowed(this.#wave, up, slopeOf(short, shape), SHORT_WINDOWS, this.#sound, at);
    }
  }
}

const slopeOf = (slopes: Slopes, shape: number): Float32Array => slopes[shape === 1 ? 1 : 0];

/** Adds a wave to the sound, as it comes up and goes down. */
function windowed(
  wave: Float32Array,
  up: Float32Array,
  down: Float32Array,
  by: number,
  sound: Float32Array,
  at: number,
): void {
  const length = up.length;
  const last = at + 2 * length - 1;
  for (let n = 0; n < length; n += 1) {
    sound[at + n] = (sound[at + n] ?? 0) + (wave[n] ?? 0) * (up[n] ?? 0) * by;
    sound[last - n] = (sound[last - n] ?? 0) + (wave[2 * length - 1 - n] ?? 0) * (down[n] ?? 0) * by;
  }
}

const both = ([sines, kaiserBessels]: Slopes, make: (slope: Float32Array) => Float32Array): Slopes => [
  make(sines),
  make(kaiserBessels),
];

/** A slope at a part of its rate. Means of squares, so that those of what comes up and what goes down add up to one. */
function folded(slope: Float32Array, fold: number): Float32Array {
  return Float32Array.from({ length: slope.length / fold }, (_, n) =>
    Math.sqrt(slope.subarray(n * fold, (n + 1) * fold).reduce((sum, value) => sum + value ** 2, 0) / fold),
  );
}

/** Of a long window next to short ones: nothing, then the slope of a short one, then full. */
function steepened(short: Float32Array, length: number): Float32Array {
  const flat = (length - short.length) / 2;
  const all = new Float32Array(length).fill(1, flat + short.length);
  all.set(short, flat);
  return all;
}
