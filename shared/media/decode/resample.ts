import { kernel } from './resampling-kernel.ts';
import { RATE } from '../formats/wav.ts';

/** Half the length of the filter, in periods of the lower rate: the more, the steeper. */
const PERIODS = 8;
/** Where the filter is half down, as a share of what the lower rate can carry. Leaves room for its slope. */
const CUTOFF = 0.94;
/** Of the Kaiser window: 60 dB down beyond the slope. */
const BETA = 6;

/** Samples that are looked at together. */
const BLOCK = 16_384;
const BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * Turns sound of any rate into another, 16 kHz unless told, piece by piece: a filter in as many phases as the two rates need (polyphase),
 * so that nothing above half the rate folds into what is heard. Keeps its place between calls; `end` gives what is left.
 * As many samples come out as the time needs: the delay of the filter is taken off.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  /** Half the length of the filter, in samples. */
  readonly #half: number;
  readonly #run: (count: number, phase: number) => void;
  /** Sound that is still needed, and what was made of it. */
  readonly #held: Float32Array;
  readonly #made: Float32Array;
  #length: number;
  /** The next sample lies so many phases behind `#held[#half]`; less than one sample of the input. */
  #phase = 0;

  constructor(rate: number, to = RATE) {
    const divisor = gcd(rate, to);
    const [up, down] = [to / divisor, rate / divisor];
    const wide = Math.max(1, rate / to);
    // Even, since the filter is summed up four by four.
    const half = 2 * Math.ceil((PERIODS * wide) / 2);
    const filters = filter(up, half, CUTOFF / wide);
    const most = 2 * half + Math.ceil(wide) + BLOCK;
    const made = Math.ceil((most * up) / down);
    const { memory, run } = kernel((filters.length + most + made) * BYTES);
    new Float32Array(memory).set(filters);
    this.#held = new Float32Array(memory, filters.length * BYTES, most);
    this.#made = new Float32Array(memory, (filters.length + most) * BYTES, made);
    const out = this.#made.byteOffset;
    const fixed = { filters: 0, out, width: 2 * half * BYTES, up, turn: down % up };
    const [samples, step] = [this.#held.byteOffset + BYTES, Math.floor(down / up) * BYTES];
    this.#run = (count, phase) => run({ ...fixed, samples, step, phase, end: out + count * BYTES });
    [this.#up, this.#down, this.#half, this.#length] = [up, down, half, half];
  }

  push(input: Float32Array): Float32Array {
    if (this.#up === this.#down) return input;
    const output = new Float32Array(this.#ready(input.length));
    for (let from = 0, at = 0; from < input.length; from += BLOCK) {
      const made = this.#block(input.subarray(from, from + BLOCK));
      output.set(made, at);
      at += made.length;
    }
    return output;
  }

  end(): Float32Array {
    return this.#up === this.#down ? new Float32Array() : this.push(new Float32Array(this.#half));
  }

  /** How many samples come out of so many more: up to the last moment for which all samples on its right are there. */
  #ready(more: number): number {
    const most = (this.#length + more - 2 * this.#half) * this.#up;
    return Math.max(0, Math.ceil((most - this.#phase) / this.#down));
  }

  #block(input: Float32Array): Float32Array {
    this.#held.set(input, this.#length);
    const count = this.#ready(input.length);
    this.#length += input.length;
    if (count > 0) this.#run(count, this.#phase);
    const phase = this.#phase + count * this.#down;
    const passed = Math.floor(phase / this.#up);
    this.#phase = phase % this.#up;
    this.#held.copyWithin(0, passed, this.#length);
    this.#length -= passed;
    return this.#made.subarray(0, count);
  }
}

/** A windowed sinc for each phase, each with a gain of exactly one. */
function filter(phases: number, half: number, cutoff: number): Float64Array {
  const taps = half * 2;
  const all = new Float64Array(phases * taps);
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
