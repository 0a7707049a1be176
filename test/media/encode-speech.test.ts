import { describe, expect, test } from '@jest/globals';
import { createMedia, MediaError } from '../../shared/media/index.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { wavFile } from './files.ts';
import { MEDIA_THREAD, decodeRecording, joinedSamples } from './decode-recording.ts';
import { likeness, voice } from './signal.ts';

const SECONDS = 3;
const { encodeSpeech: speak } = createMedia({ entryFile: MEDIA_THREAD, time: systemTime });
const wav = (rate: number) => wavFile({ channels: [voice(SECONDS, rate)], rate });

describe('speech', () => {
  test.each([
    ['ogg', 24_000, 'opus'],
    ['ogg', 16_000, 'opus'],
    ['mp3', 44_100, 'mp3'],
  ] as const)('is encoded as a file (%s, from %i Hz) that sounds alike', async (as, rate, codec) => {
    const speech = await speak(wav(rate), as);
    expect(speech.seconds).toBeCloseTo(SECONDS, 3);
    const recording = await decodeRecording(speech.bytes);
    expect(recording.begin).toMatchObject({ container: as, codec });
    expect(recording.end.partial).toBeUndefined();
    expect(Math.abs(recording.end.ms - SECONDS * 1000)).toBeLessThanOrEqual(50);
    const { like, lag } = likeness(voice(SECONDS, 16_000), joinedSamples(recording), 80);
    // Speech encoders change other audio more.
    expect(like).toBeGreaterThanOrEqual(0.88);
    expect(Math.abs(lag)).toBeLessThanOrEqual(80);
  });

  test('has a loudness curve with ten points per second, at most 256', async () => {
    const { waveform } = await speak(wav(24_000), 'ogg');
    const points = Buffer.from(waveform, 'base64');
    expect(points).toHaveLength(SECONDS * 10);
    expect(Math.max(...points)).toBe(255);
    // The last half second is silence.
    expect([...points.subarray(25)]).toEqual([0, 0, 0, 0, 0]);
    const long = await speak(wavFile({ channels: [new Float32Array(40 * 16_000)], rate: 16_000 }), 'ogg');
    expect(Buffer.from(long.waveform, 'base64')).toHaveLength(256);
  });

  test('that is not WAV is rejected', async () => {
    await expect(speak(Buffer.from('<html>sorry</html>'), 'ogg')).rejects.toThrow(MediaError);
    await expect(speak(wav(16_000).subarray(0, 44), 'mp3')).rejects.toMatchObject({ kind: 'empty' });
  });
});
