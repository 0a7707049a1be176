import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { SilenceSplitter } from '../../../shared/media/decode/split-at-silence.ts';

const RATE = 16_000;
/** Segments of constant loudness (s). */
const sound = fc.array(
  fc.record({
    seconds: fc.integer({ min: 1, max: 80 }).map((n) => n / 4),
    loud: fc.constantFrom(0, 10, 200, 9000),
  }),
  { minLength: 1, maxLength: 8 },
);

test('splitting drops only silence, repeats nothing, and makes no chunk longer than 30 s', () => {
  fc.assert(
    fc.property(sound, fc.integer({ min: 100, max: 50_000 }), (parts, block) => {
      const length = parts.reduce((sum, { seconds }) => sum + seconds * RATE, 0);
      const all = new Int16Array(length);
      let at = 0;
      for (const { seconds, loud } of parts) {
        // Neighboring samples differ, so that a shift by one sample is detected.
        for (const end = at + seconds * RATE; at < end; at += 1) all[at] = loud === 0 ? 0 : loud + (at % 7);
      }
      const cutter = new SilenceSplitter();
      const stretches = [];
      for (let from = 0; from < length; from += block)
        stretches.push(...cutter.push(all.subarray(from, from + block)));
      stretches.push(...cutter.end());
      const back = new Int16Array(length);
      let last = 0;
      for (const { from, samples } of stretches) {
        expect(from).toBeGreaterThanOrEqual(last);
        expect(samples.length).toBeLessThanOrEqual(30 * RATE);
        back.set(samples, from);
        last = from + samples.length;
      }
      expect(cutter.position).toBe(length);
      const lost = all.findIndex((value, n) => value > 100 && back[n] !== value);
      expect(lost).toBe(-1);
    }),
    { numRuns: 30 },
  );
});
