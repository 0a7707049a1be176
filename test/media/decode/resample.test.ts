import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { Resampler } from '../../../shared/media/decode/resample.ts';
import { SAMPLE_RATE } from '../../../shared/media/formats/wav.ts';

// A local copy: globals are slow in the test runner.
const { abs, max, PI, sin } = Math;
const SECONDS = 0.25;

const tone = (hertz: number, rate: number): Float32Array => {
  const turns = (2 * PI * hertz) / rate;
  return Float32Array.from({ length: Math.round(SECONDS * rate) }, (_, n) => sin(turns * n));
};

/** In blocks of these lengths, repeatedly. */
function resampled(sound: Float32Array, rate: number, blocks: readonly number[]): number[] {
  const resampler = new Resampler(rate);
  const out: number[] = [];
  for (let at = 0, n = 0; at < sound.length; n += 1) {
    const next = at + (blocks[n % blocks.length] ?? sound.length);
    out.push(...resampler.push(sound.subarray(at, next)));
    at = next;
  }
  return [...out, ...resampler.end()];
}

const farthest = (a: ArrayLike<number>, b: ArrayLike<number>, from: number, to: number): number => {
  let largest = 0;
  for (let n = from; n < to; n += 1) largest = max(largest, abs((a[n] ?? NaN) - (b[n] ?? NaN)));
  return largest;
};

const rates = fc.oneof(
  fc.constantFrom(8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000),
  fc.integer({ min: 80, max: 960 }).map((n) => n * 50),
);
/** As a fraction of the lower Nyquist frequency. */
const volumes = fc.integer({ min: 1, max: 70 }).map((percent) => percent / 100);
const blocks = fc.array(fc.integer({ min: 50, max: 40_000 }), { minLength: 1, maxLength: 4 });

test('a tone stays the same tone at 16 kHz with the same duration, for any rate and block size', () => {
  fc.assert(
    fc.property(rates, volumes, blocks, (rate, share, sizes) => {
      const hertz = (share * Math.min(rate, SAMPLE_RATE)) / 2;
      const sound = tone(hertz, rate);
      const out = resampled(sound, rate, sizes);
      expect(abs(out.length - (sound.length * SAMPLE_RATE) / rate)).toBeLessThan(1);
      // Start and end are next to silence, where the filter rings.
      const edge = 0.01 * SAMPLE_RATE;
      expect(farthest(out, tone(hertz, SAMPLE_RATE), edge, out.length - edge)).toBeLessThan(0.003);
      expect(farthest(out, resampled(sound, rate, [sound.length]), 0, out.length)).toBe(0);
    }),
    { numRuns: 25 },
  );
});

test('frequencies above 8 kHz are removed without aliasing', () => {
  for (const [rate, hertz] of [
    [22_050, 9800],
    [44_100, 9500],
    [48_000, 15_000],
    [192_000, 60_000],
  ] as const) {
    const out = resampled(tone(hertz, rate), rate, [10_000]);
    expect(farthest(out, new Float32Array(out.length), 200, out.length - 200)).toBeLessThan(0.003);
  }
});
