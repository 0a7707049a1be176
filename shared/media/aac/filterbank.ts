import { LINES, SHORT_WINDOWS, type Windows } from './windows.ts';
import { Transform } from './transform.ts';

const SHORT = LINES / SHORT_WINDOWS;
/** Where the short windows lie in a frame of twice the length: 448 samples from each end. */
const FLAT = (LINES - SHORT) / 2;

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

/** Turns the spectra of frame after frame into sound. Several channels may be given one after the other for a frame: their sound adds up. */
export class Filterbank {
  readonly #long = new Transform(LINES);
  readonly #short = new Transform(SHORT);
  readonly #wave = new Float32Array(2 * LINES);
  readonly #shortWave = new Float32Array(2 * SHORT);
  /** This frame's sound, and the part of it that the next one is added to. */
  #sound = new Float32Array(2 * LINES);

  /** Adds a channel to this frame. `before` is the shape of the window that this channel had in the last frame. */
  add(lines: Float32Array, windows: Windows, before: number): void {
    if (windows.sequence === 2) this.#addShort(lines, windows.shape, before);
    else this.#addLong(lines, windows, before);
  }

  /** The sound of this frame, the mean of so many channels, full being 1; goes on to the next one. */
  next(channels: number): Float32Array {
    const sound = this.#sound.slice(0, LINES);
    // 2 / N of the transform, and the 16 bits that the spectrum is scaled for.
    const scale = 1 / (LINES * 32_768 * channels);
    for (let n = 0; n < LINES; n += 1) sound[n] = (sound[n] ?? 0) * scale;
    this.#sound.copyWithin(0, LINES);
    this.#sound.fill(0, LINES);
    return sound;
  }

  /** Forgets the last frame: what comes next does not go with it. */
  reset(): void {
    this.#sound.fill(0);
  }

  #addLong(lines: Float32Array, { sequence, shape }: Windows, before: number): void {
    this.#long.run(lines, this.#wave);
    const wave = this.#wave;
    const sound = this.#sound;
    const up = slope(sequence === 3, before);
    const down = slope(sequence === 1, shape);
    for (let n = 0; n < LINES; n += 1) {
      sound[n] = (sound[n] ?? 0) + (wave[n] ?? 0) * (up[n] ?? 0);
      const m = 2 * LINES - 1 - n;
      sound[m] = (sound[m] ?? 0) + (wave[m] ?? 0) * (down[n] ?? 0);
    }
  }

  #addShort(lines: Float32Array, shape: number, before: number): void {
    const wave = this.#shortWave;
    const sound = this.#sound;
    for (let window = 0; window < SHORT_WINDOWS; window += 1) {
      this.#short.run(lines.subarray(window * SHORT, (window + 1) * SHORT), wave);
      const up = rise.short[(window === 0 ? before : shape) === 1 ? 1 : 0];
      const down = rise.short[shape === 1 ? 1 : 0];
      const start = FLAT + window * SHORT;
      // Eight times as short a transform, whose factor is eight times as large.
      for (let n = 0; n < SHORT; n += 1) {
        sound[start + n] = (sound[start + n] ?? 0) + 8 * (wave[n] ?? 0) * (up[n] ?? 0);
        const m = 2 * SHORT - 1 - n;
        sound[start + m] = (sound[start + m] ?? 0) + 8 * (wave[m] ?? 0) * (down[n] ?? 0);
      }
    }
  }
}

/** The rising half of a long window; next to short ones it is nothing, then short, then full. */
function slope(toShort: boolean, shape: number): Float32Array {
  const kind = shape === 1 ? 1 : 0;
  return toShort ? steep[kind] : rise.long[kind];
}

const steep = [steepened(rise.short[0]), steepened(rise.short[1])] as const;

function steepened(short: Float32Array): Float32Array {
  const all = new Float32Array(LINES).fill(1, FLAT + SHORT);
  all.set(short, FLAT);
  return all;
}
