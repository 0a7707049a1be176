import { keyAt, pairOf } from './keys.ts';
import type { Recording } from './wav.ts';

/** A decoded digit with its time (s). */
export type Heard = { readonly digit: number; readonly start: number; readonly end: number };

export type ToneOptions = {
  readonly rate?: number;
  readonly toneSeconds?: number;
  readonly gapSeconds?: number;
};

/** A recording of digits as tones: the simulator transcribes each to a number word. */
export function speakDigits(digits: readonly number[], options: ToneOptions = {}): Float32Array {
  const { rate = 16_000, toneSeconds = 0.2, gapSeconds = 0.15 } = options;
  const [tone, gap] = [Math.round(toneSeconds * rate), Math.round(gapSeconds * rate)];
  const samples = new Float32Array(gap + digits.length * (tone + gap));
  digits.forEach((digit, nth) => {
    const [low, high] = pairOf(keyOf(digit));
    const start = gap + nth * (tone + gap);
    for (let at = 0; at < tone; at += 1) {
      const turn = (2 * Math.PI * at) / rate;
      samples[start + at] = 0.35 * Math.sin(low * turn) + 0.35 * Math.sin(high * turn);
    }
  });
  return samples;
}

/** The length of an analysis frame (s). */
const FRAME = 0.025;

/** The digits in a recording, in order. A tone must last at least three frames (75 ms). */
export function decodeDigits({ samples, rate }: Recording): Heard[] {
  const size = Math.round(rate * FRAME);
  const tonesFound: Heard[] = [];
  let current: { digit: number; from: number; frames: number } | undefined;
  const close = (end: number): void => {
    if (current !== undefined && current.frames >= 3) {
      tonesFound.push({ digit: current.digit, start: round(current.from * FRAME), end: round(end * FRAME) });
    }
    current = undefined;
  };
  const frames = Math.floor(samples.length / size);
  for (let frame = 0; frame < frames; frame += 1) {
    const digit = digitIn(samples.subarray(frame * size, (frame + 1) * size), rate);
    if (digit === current?.digit && current !== undefined) current.frames += 1;
    else {
      close(frame);
      if (digit !== undefined) current = { digit, from: frame, frames: 1 };
    }
  }
  close(frames);
  return tonesFound;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;
const keyOf = (digit: number) => DIGITS[digit] ?? '0';

function digitIn(frame: Float32Array, rate: number): number | undefined {
  const key = keyAt(frame, rate);
  const digit = DIGITS.findIndex((one) => one === key);
  return digit < 0 ? undefined : digit;
}
