import type { Recording } from './wav.ts';

/** The two tones of each digit, in Hz, as telephones have them (ITU-T Q.23): they survive speech codecs. */
const LOW = [697, 770, 852, 941] as const;
const HIGH = [1209, 1336, 1477] as const;
const KEYS = ['123', '456', '789', '*0#'] as const;

/** A digit heard, in seconds from the start. */
export type Heard = { readonly digit: number; readonly start: number; readonly end: number };

export type ToneOptions = {
  readonly rate?: number;
  readonly toneSeconds?: number;
  readonly gapSeconds?: number;
};

/** A recording of digits as tones: the simulator hears each as a number word. */
export function speakDigits(digits: readonly number[], options: ToneOptions = {}): Float32Array {
  const { rate = 16_000, toneSeconds = 0.2, gapSeconds = 0.15 } = options;
  const [tone, gap] = [Math.round(toneSeconds * rate), Math.round(gapSeconds * rate)];
  const samples = new Float32Array(gap + digits.length * (tone + gap));
  digits.forEach((digit, nth) => {
    const [low, high] = pairOf(digit);
    const start = gap + nth * (tone + gap);
    for (let at = 0; at < tone; at += 1) {
      const turn = (2 * Math.PI * at) / rate;
      samples[start + at] = 0.35 * Math.sin(low * turn) + 0.35 * Math.sin(high * turn);
    }
  });
  return samples;
}

function pairOf(digit: number): readonly [number, number] {
  const row = KEYS.findIndex((keys) => keys.includes(String(digit)));
  return [LOW[row] ?? LOW[3], HIGH[KEYS[row]?.indexOf(String(digit)) ?? 1] ?? HIGH[1]];
}

/** s of sound that are judged together. */
const FRAME = 0.025;

/** The digits in a recording, in order. A tone must last at least three frames (75 ms). */
export function hearDigits({ samples, rate }: Recording): Heard[] {
  const size = Math.round(rate * FRAME);
  const heard: Heard[] = [];
  let current: { digit: number; from: number; frames: number } | undefined;
  const close = (end: number): void => {
    if (current !== undefined && current.frames >= 3) {
      heard.push({ digit: current.digit, start: round(current.from * FRAME), end: round(end * FRAME) });
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
  return heard;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function digitIn(frame: Float32Array, rate: number): number | undefined {
  let energy = 0;
  for (const sample of frame) energy += sample * sample;
  if (energy / frame.length < 1e-4) return undefined;
  const low = strongest(frame, rate, LOW);
  const high = strongest(frame, rate, HIGH);
  if ((2 * (low.power + high.power)) / frame.length < 0.6 * energy) return undefined;
  const key = KEYS[low.at]?.[high.at] ?? '*';
  return /\d/u.test(key) ? Number(key) : undefined;
}

function strongest(
  frame: Float32Array,
  rate: number,
  tones: readonly number[],
): { at: number; power: number } {
  const powers = tones.map((tone) => goertzel(frame, rate, tone));
  const power = Math.max(...powers);
  return { at: powers.indexOf(power), power };
}

/** The power of one frequency in a frame (Goertzel). */
function goertzel(frame: Float32Array, rate: number, tone: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * tone) / rate);
  let one = 0;
  let two = 0;
  for (let at = 0; at < frame.length; at += 1) {
    const next = (frame[at] ?? 0) + factor * one - two;
    two = one;
    one = next;
  }
  return one * one + two * two - factor * one * two;
}
