import { expect, test } from '@jest/globals';
import { createSpeechFileWriter } from '../../../../functions/composition/video/speech-file.ts';
import { createMedia } from '../../../../shared/media/index.ts';
import { systemTime } from '../../../../shared/runtime/time.ts';
import { decodeRecording, MEDIA_THREAD } from '../../../media/decode-recording.ts';
import { decodeDigits, speakDigits } from '../../../simulators/upstream/speech/tones.ts';
import { writeWav } from '../../../simulators/upstream/speech/wav.ts';
import { samplesOf } from '../../../media/signal.ts';

const voice = createSpeechFileWriter(createMedia({ entryFile: MEDIA_THREAD, time: systemTime }));
const PIECES = [
  [1, 2, 3],
  [9, 0],
].map((digits) => writeWav(speakDigits(digits), 16_000));

async function digitsIn(content: AsyncIterable<Uint8Array>): Promise<number[]> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  const { chunks } = await decodeRecording(Buffer.concat(parts));
  return chunks.flatMap(({ wav }) =>
    decodeDigits({ rate: 16_000, channels: 1, samples: samplesOf(wav) }).map(({ digit }) => digit),
  );
}

test('speech in chunks becomes one MP3 for Slack, in order', async () => {
  const file = await voice(PIECES, 'slack', 'Spoken in French');
  expect(file).toMatchObject({ name: 'voice.mp3', mimetype: 'audio/mpeg', words: 'Spoken in French' });
  expect(await digitsIn(file.content)).toEqual([1, 2, 3, 9, 0]);
});

test('speech for Discord becomes a voice message with duration and waveform', async () => {
  const file = await voice(PIECES, 'discord', '');
  expect(file).toMatchObject({ mimetype: 'audio/ogg', voice: { seconds: expect.closeTo(2.05, 2) } });
  expect(Math.max(...(file.voice?.waveform ?? []))).toBeGreaterThan(100);
  expect(await digitsIn(file.content)).toEqual([1, 2, 3, 9, 0]);
});

test('chunks with different sample rates are rejected, because they would be garbled', async () => {
  const other = writeWav(speakDigits([1], { rate: 8_000 }), 8_000);
  await expect(voice([...PIECES, other], 'slack', '')).rejects.toMatchObject({
    kind: 'malformed',
    code: 'not_wav',
    message: expect.stringContaining('different sample rates'),
  });
});
