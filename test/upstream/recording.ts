import { writeWav } from '../../shared/upstream/speech/wav.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';

/**
 * A recording that the simulator transcribes to number words: digits as telephone tones, 16 kHz, with silence between
 * them.
 */
export function tonesWav(digits: string, gapSeconds: number): Buffer {
  const rate = 16_000;
  const sound = speakDigits(Array.from(digits, Number), { rate, gapSeconds });
  const samples = Int16Array.from(sound, (sample) => Math.round(sample * 32_767));
  return writeWav({ rate, channels: 1, samples: new Uint8Array(samples.buffer) });
}
