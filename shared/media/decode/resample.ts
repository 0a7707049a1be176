import { bessel } from '../bessel.ts';
import { createKernel } from './resampling-kernel.ts';
import { SAMPLE_RATE } from '../formats/wav.ts';

/** Half the filter length, in periods of the lower rate; a longer filter is steeper. */
const FILTER_PERIODS = 8;
/** The -6 dB point of the filter, as a share of the lower Nyquist frequency. Leaves room for the slope. */
const FILTER_CUTOFF = 0.94;
/** Of the Kaiser window: 60 dB attenuation beyond the slope. */
const KAISER_BETA = 6;

/** Samples per kernel call. */
const BLOCK_SAMPLES = 16_384;
const SAMPLE_BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * Resamples audio from any rate to another (default: 16 kHz), block by block, with a polyphase filter against aliasing.
 * Keeps its state between calls; `end` returns the rest. The filter delay is removed, so the output has the input's
 * duration.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  /** Half the length of the filter, in samples. */
  readonly #half: number;
  readonly #runKernel: (count: number, phase: number) => void;
  /** Input samples that are still needed, and the output of the kernel. */
  readonly #input: Float32Array;
  readonly #output: Float32Array;
  #length: number;
  /** The next output sample lies this many phases after `#input[#half]`; less than one input sample. */
  #phase = 0;

  constructor(rate: number, to = SAMPLE_RATE) {
    const divisor = gcd(rate, to);
    const [up, down] = [to / divisor, rate / divisor];
    const ratio = Math.max(1, rate / to);
    // Even, because the kernel sums four products at a time.
    const half = 2 * Math.ceil((FILTER_PERIODS * ratio) / 2);
    const filters = designFilters(up, half, FILTER_CUTOFF / ratio);
    const inputLength = 2 * half + Math.ceil(ratio) + BLOCK_SAMPLES;
    const outputLength = Math.ceil((inputLength * up) / down);
    const { memory, run } = createKernel((filters.length + inputLength + outputLength) * SAMPLE_BYTES);
    new Float32Array(memory).set(filters);
    this.#input = new Float32Array(memory, filters.length * SAMPLE_BYTES, inputLength);
    this.#output = new Float32Array(memory, (filters.length + inputLength) * SAMPLE_BYTES, outputLength);
    const out = this.#output.byteOffset;
    const constants = { filters: 0, out, width: 2 * half * SAMPLE_BYTES, up, turn: down % up };
    const [samples, step] = [this.#input.byteOffset + SAMPLE_BYTES, Math.floor(down / up) * SAMPLE_BYTES];
    this.#runKernel = (count, phase) =>
      run({ ...constants, samples, step, phase, end: out + count * SAMPLE_BYTES });
    [this.#up, this.#down, this.#half, this.#length] = [up, down, half, half];
  }

  push(input: Float32Array): Float32Array {
    if (this.#up === this.#down) return input;
    const output = new Float32Array(this.#countOutput(input.length));
    for (let from = 0, at = 0; from < input.length; from += BLOCK_SAMPLES) {
      const outputLength = this.#processBlock(input.subarray(from, from + BLOCK_SAMPLES));
      output.set(outputLength, at);
      at += outputLength.length;
    }
    return output;
  }

  end(): Float32Array {
    return this.#up === this.#down ? new Float32Array() : this.push(new Float32Array(this.#half));
  }

  /** Returns how many output samples `more` input samples complete: those with all their right neighbours. */
  #countOutput(more: number): number {
    const inputLength = (this.#length + more - 2 * this.#half) * this.#up;
    return Math.max(0, Math.ceil((inputLength - this.#phase) / this.#down));
  }

  #processBlock(input: Float32Array): Float32Array {
    this.#input.set(input, this.#length);
    const count = this.#countOutput(input.length);
    this.#length += input.length;
    if (count > 0) this.#runKernel(count, this.#phase);
    const phase = this.#phase + count * this.#down;
    const consumed = Math.floor(phase / this.#up);
    this.#phase = phase % this.#up;
    this.#input.copyWithin(0, consumed, this.#length);
    this.#length -= consumed;
    return this.#output.subarray(0, count);
  }
}

/** A windowed sinc per phase, each normalized to a gain of exactly one. */
function designFilters(phases: number, half: number, cutoff: number): Float64Array {
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
  Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
