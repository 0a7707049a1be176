import { describe, expect, test } from '@jest/globals';
import { coded, opusFile, opusPackets } from '../simulators/recording/encode.ts';
import { decodeRecording, joinedSamples } from './decode-recording.ts';
import { decodeWords, speakWords } from '../simulators/upstream/speech/spelling.ts';
import { decodeDigits, speakDigits } from '../simulators/upstream/speech/tones.ts';

const decodeText = (samples: Float32Array, rate = 16_000): string =>
  decodeWords({ samples, rate, channels: 1 })
    .map(({ transcript }) => transcript)
    .join(' ');

const SENTENCE = 'We meet on Monday at ten, in the harbour. Who brings the map?';

test.each([
  SENTENCE,
  'aaaa bbbb 1111 0000 a',
  'Grüße aus Köln – für 5 € „heute“',
  'Ça va, señor? ¡Sí!',
  '会議は月曜日です。 회의 会议 👩‍🚀',
  'x',
])('%s is recognized as it was spoken', (text) => {
  expect(decodeText(speakWords(text))).toBe(text);
});

test('each word has its time', () => {
  const [first, second, ...more] = decodeWords({ samples: speakWords('one two'), rate: 16_000, channels: 1 });
  expect(more).toEqual([]);
  expect(first).toEqual({ start: expect.closeTo(0.15, 1), end: expect.closeTo(0.55, 1), transcript: 'one' });
  expect(second?.start).toBeGreaterThan(first?.end ?? 0);
});

describe('recognition works with', () => {
  test.each([8_000, 24_000, 44_100, 48_000])('a rate of %d Hz', (rate) => {
    expect(decodeText(speakWords(SENTENCE, rate), rate)).toBe(SENTENCE);
  });

  test('noise, and a very quiet voice', () => {
    const noisy = speakWords(SENTENCE).map((sample, at) => sample + 0.03 * Math.sin(at * at));
    expect(decodeText(noisy)).toBe(SENTENCE);
    expect(decodeText(speakWords(SENTENCE).map((sample) => sample / 8))).toBe(SENTENCE);
  });

  test('the codecs of recordings, as the bot decodes them', async () => {
    const sound = { channels: [speakWords(SENTENCE, 48_000)], rate: 48_000 };
    const files = [
      await opusFile(opusPackets(sound), 'ogg'),
      await coded(sound, 'aac', 'fastMp4'),
      await coded(sound, 'mp3', 'mp3'),
    ];
    for (const file of files) {
      expect(decodeText(joinedSamples(await decodeRecording(file)))).toBe(SENTENCE);
    }
  });
});

test('digits are not taken for words, words not for digits, and silence for neither', () => {
  expect(decodeText(speakDigits([1, 2, 3]))).toBe('');
  expect(decodeText(new Float32Array(16_000))).toBe('');
  const recording = { samples: speakWords(SENTENCE), rate: 16_000, channels: 1 };
  expect(decodeDigits(recording).length).toBeLessThan(3);
});
