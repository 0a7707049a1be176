import { RATE } from './wav.ts';

/** Half the length of the filter, in periods of the lower rate: the more, the steeper. */
const PERIODS = 8;
/** Where the filter is half down, as a share of what the lower rate can carry. Leaves room for its slope. */
const CUTOFF = 0.94;
/** Of the Kaiser window: 60 dB down beyond the slope. */
const BETA = 6;

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
  readonly #phases: Float64Array;
  /** Sound that is still needed, in the precision in which sums are fastest. */
  #held: Float64Array;
  #length: number;
  /** The next sample lies so many phases behind `#held[#half]`; less than one sample of the input. */
  #phase = 0;

  constructor(rate: number, to = RATE) {
    const divisor = gcd(rate, to);
    this.#up = to / divisor;
    this.#down = rate / divisor;
    const wide = Math.max(1, rate / to);
    // Even, since the filter is summed up four by four.
    this.#half = 2 * Math.ceil((PERIODS * wide) / 2);
    this.#phases = filter(this.#up, this.#half, CUTOFF / wide);
    this.#held = new Float64Array(this.#half);
    this.#length = this.#half;
  }

  push(input: Float32Array): Float32Array {
    if (this.#up === this.#down) return input;
    this.#hold(input);
    const [up, down, half] = [this.#up, this.#down, this.#half];
    const [held, phases] = [this.#held, this.#phases];
    // Up to the last moment for which all samples on its right are there.
    const most = (this.#length - 2 * half) * up;
    const output = new Float32Array(Math.max(0, Math.ceil((most - this.#phase) / down)));
    const [step, turn] = [Math.floor(down / up), down % up];
    let [first, phase] = [1, this.#phase];
    for (let n = 0; n < output.length; n += 1) {
      output[n] = filtered(held, first, phases, phase * 2 * half, 2 * half);
      first += step;
      phase += turn;
      if (phase < up) continue;
      phase -= up;
      first += 1;
    }
    this.#phase = phase;
    held.copyWithin(0, first - 1, this.#length);
    this.#length -= first - 1;
    return output;
  }

  end(): Float32Array {
    return this.#up === this.#down ? new Float32Array() : this.push(new Float32Array(this.#half));
  }

  #hold(input: Float32Array): void {
    const length = this.#length + input.length;
    if (length > this.#held.length) {
      const more = new Float64Array(length * 2);
      more.set(this.#held);
      this.#held = more;
    }
    this.#held.set(input, this.#length);
    this.#length = length;
  }
}

/** In four sums, because each addition would wait for the one before it. This is where the time of most recordings goes. */
function filtered(
  samples: Float64Array,
  first: number,
  filters: Float64Array,
  from: number,
  taps: number,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let n = first;
  for (let tap = from; tap < from + taps; tap += 4, n += 4) {
    a += (samples[n] ?? 0) * (filters[tap] ?? 0);
    b += (samples[n + 1] ?? 0) * (filters[tap + 1] ?? 0);
    c += (samples[n + 2] ?? 0) * (filters[tap + 2] ?? 0);
    d += (samples[n + 3] ?? 0) * (filters[tap + 3] ?? 0);
  }
  return a + b + c + d;
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
