import { RATE } from './wav.ts';

/** Half the length of the filter, in periods of the lower rate: the more, the steeper. */
const PERIODS = 12;
/** Where the filter is half down, as a share of what the lower rate can carry. Leaves room for its slope. */
const CUTOFF = 0.94;
/** Of the Kaiser window: 80 dB down beyond the slope. */
const BETA = 8;

/**
 * Turns sound of any rate into another, 16 kHz unless told, piece by piece: a filter in as many phases as the two rates need (polyphase),
 * so that nothing above half the rate folds into what is heard. Keeps its place between calls; `end` gives what is left.
 * As many samples come out as the time needs: the delay of the filter is taken off.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #taps: number;
  readonly #phases: Float32Array;
  #kept: Float32Array;
  /** Index in `#kept`, times `#up`, of the moment of the next sample. */
  #at: number;

  constructor(rate: number, to = RATE) {
    const divisor = gcd(rate, to);
    this.#up = to / divisor;
    this.#down = rate / divisor;
    const wide = Math.max(1, rate / to);
    const half = Math.ceil(PERIODS * wide);
    this.#taps = half * 2;
    this.#phases = filter(this.#up, half, CUTOFF / wide);
    this.#kept = new Float32Array(half);
    this.#at = half * this.#up;
  }

  push(input: Float32Array): Float32Array {
    if (this.#up === 1 && this.#down === 1) return input;
    const all = new Float32Array(this.#kept.length + input.length);
    all.set(this.#kept);
    all.set(input, this.#kept.length);
    const half = this.#taps / 2;
    // The last moment for which all samples on its right are there.
    const most = (all.length - half) * this.#up;
    const output = new Float32Array(Math.max(0, Math.ceil((most - this.#at) / this.#down)));
    for (let n = 0; n < output.length; n += 1) {
      output[n] = this.#sample(all, this.#at);
      this.#at += this.#down;
    }
    const gone = Math.min(all.length, Math.max(0, Math.floor(this.#at / this.#up) - half));
    this.#kept = all.slice(gone);
    this.#at -= gone * this.#up;
    return output;
  }

  end(): Float32Array {
    return this.#up === 1 && this.#down === 1
      ? new Float32Array()
      : this.push(new Float32Array(this.#taps / 2));
  }

  #sample(all: Float32Array, at: number): number {
    const index = Math.floor(at / this.#up);
    const taps = this.#taps;
    const phases = this.#phases;
    const phase = (at - index * this.#up) * taps;
    const first = index - taps / 2 + 1;
    let sum = 0;
    for (let tap = 0; tap < taps; tap += 1) sum += (all[first + tap] ?? 0) * (phases[phase + tap] ?? 0);
    return sum;
  }
}

/** A windowed sinc for each phase, each with a gain of exactly one. */
function filter(phases: number, half: number, cutoff: number): Float32Array {
  const taps = half * 2;
  const all = new Float32Array(phases * taps);
  for (let phase = 0; phase < phases; phase += 1) {
    const row = Array.from({ length: taps }, (_, tap) => {
      const x = tap - half + 1 - phase / phases;
      const angle = Math.PI * cutoff * x;
      return (angle === 0 ? 1 : Math.sin(angle) / angle) * kaiser(x / half);
    });
    const gain = row.reduce((sum, value) => sum + value, 0);
    all.set(
      row.map((value) => value / gain),
      phase * taps,
    );
  }
  return all;
}

const kaiser = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA);

/** The modified Bessel function of order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let n = 1; term > sum * 1e-10; n += 1) {
    term *= (x / (2 * n)) ** 2;
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
