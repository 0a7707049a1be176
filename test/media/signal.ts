/** Audio computed from numbers: the same for any rate, so that decoded audio can be compared with the original. */

// A local copy: globals are slow in the test runner.
const { cos, min, PI, sin } = Math;

/** Each segment of this many seconds has a voice of its own, which identifies its time. */
const STRETCH = 3;
/** The silence at the end of each segment (s). */
const BREATH = 0.5;

/** A number from 0 to 1, determined by a seed and a position. */
export function chance(seed: number, place: number): number {
  let x = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(place + 1, 0xc2b2ae35);
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
}

const cache = new Map<string, Float32Array>();

/** Speech-like audio: syllables with overtones up to 4 kHz, and pauses. Peaks at about half. */
export function voice(seconds: number, rate: number, seed = 1): Float32Array {
  const key = `${seconds} ${rate} ${seed}`;
  const samples = cache.get(key) ?? createSpeech(seconds, rate, seed);
  cache.set(key, samples);
  return samples;
}

function createSpeech(seconds: number, rate: number, seed: number): Float32Array {
  const samples = new Float32Array(Math.round(seconds * rate));
  for (let from = 0; from < seconds; from += STRETCH) {
    const begin = Math.round(from * rate);
    const end = Math.min(samples.length, Math.round((from + STRETCH - BREATH) * rate));
    const pitch = 110 + 140 * chance(seed, from);
    for (let hertz = pitch, n = 1; hertz < 4000; hertz += pitch * n, n += 1) {
      tone(samples.subarray(begin, end), hertz / rate, (0.03 + 0.2 * chance(seed, from * 40 + n)) / n);
    }
    const tune = 2 + 2 * chance(seed, from + 1);
    for (let n = begin; n < end; n += 1) {
      const t = n / rate - from;
      samples[n] = (samples[n] ?? 0) * sin(PI * tune * t) ** 2 * min(1, (STRETCH - BREATH - t) * 20);
    }
  }
  return samples;
}

/** Adds a tone by rotation, which is much faster than a sine per sample. */
function tone(samples: Float32Array, turns: number, loud: number): void {
  const [c, s] = [cos(2 * PI * turns), sin(2 * PI * turns)];
  let x = loud;
  let y = 0;
  for (let n = 0; n < samples.length; n += 1) {
    samples[n] = (samples[n] ?? 0) + y;
    const next = x * c - y * s;
    y = x * s + y * c;
    x = next;
  }
}

/**
 * The similarity of two signals (1 is equal) when the second is shifted by `around` and up to `within` samples, and
 * the best shift.
 */
export function likeness(
  a: Float32Array,
  b: Float32Array,
  within: number,
  around = 0,
): { readonly like: number; readonly lag: number } {
  let best = { like: -1, lag: around };
  for (let lag = around - within; lag <= around + within; lag += 1) {
    const like = correlation(a, b, lag);
    if (like > best.like) best = { like, lag };
  }
  return best;
}

function correlation(a: Float32Array, b: Float32Array, lag: number): number {
  let ab = 0;
  let aa = 0;
  let bb = 0;
  const from = Math.max(0, -lag);
  const to = Math.min(a.length, b.length - lag);
  for (let n = from; n < to; n += 1) {
    const x = a[n] ?? 0;
    const y = b[n + lag] ?? 0;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb || 1);
}

/** The samples of a WAV chunk: 16 bits, mono. */
export function samplesOf(wav: Uint8Array): Float32Array {
  const view = new DataView(wav.buffer, wav.byteOffset + 44, wav.byteLength - 44);
  return Float32Array.from({ length: view.byteLength / 2 }, (_, n) => view.getInt16(n * 2, true) / 32_768);
}
