import { describe, expect, test } from '@jest/globals';
import { pick, send, standing } from './test-client.ts';
import type { JsonObject } from './json.ts';
import { decodeWords, speakWords } from './speech/spelling.ts';
import { decodeDigits, speakDigits } from './speech/tones.ts';
import { readWav, writeWav } from './speech/wav.ts';

const { core } = standing();
const path = '/v1/transcription_or_translation';
const dataUri = (bytes: Buffer): string => `data:audio/wav;base64,${bytes.toString('base64')}`;
const digits = [3, 1, 4, 1, 5, 9];
const tones = dataUri(writeWav(speakDigits(digits), 16_000));

function transcribe(patch: JsonObject, headers: Record<string, string> = { 'x-api-key': 'sim-key-local' }) {
  return send(core, { path, headers, body: { audio_url: tones, sampling_rate: 16_000, ...patch } });
}

function transcriptOf(samples: Float32Array): unknown {
  return pick(transcribe({ audio_url: dataUri(writeWav(samples, 16_000)) }).json, 'transcript');
}

test('SPK-001 the key is X-Api-Key', () => {
  expect(transcribe({}).status).toBe(200);
  expect(transcribe({}, { authorization: 'Bearer sim-key-local' }).status).toBe(401);
});

test.each<[string, JsonObject]>([
  ['SPK-002 no audio', { audio_url: undefined }],
  ['SPK-004 neither URL nor data', { audio_url: 'hello' }],
  ['SPK-003 SPK-004 data of another type', { audio_url: 'data:audio/ogg;base64,AAAA' }],
  ['SPK-004 data that is not WAV', { audio_url: dataUri(Buffer.from('hello')) }],
  ['SPK-005 a rate that is text', { sampling_rate: '16000' }],
  ['SPK-007 an unknown language', { target_language: 'klingon' }],
  ['SPK-008 is_translate that is text', { is_translate: 'yes' }],
  ['SPK-009 return_translation_audio that is text', { return_translation_audio: 'yes' }],
  ['SPK-010 a temperature that is text', { temperature: 'warm' }],
  ['SPK-011 SPK-012 max_tokens 0', { max_tokens: 0 }],
])('%s is 400 SPK-020', (_title, patch) => {
  expect(transcribe(patch)).toMatchObject({ status: 400, json: { error: { message: expect.any(String) } } });
});

describe('a transcript', () => {
  test('SPK-013 SPK-014 SPK-015 SPK-016 SPK-017 SPK-019 SPK-021 LIM-027 has a number with its time for each tone', () => {
    const { json, headers } = transcribe({});
    expect(json).toMatchObject({
      transcript: 'three one four one five nine',
      translation: null,
      audio_base64: null,
    });
    const words = pick(json, 'transcript_translation_with_timestamp');
    expect(words).toHaveLength(6);
    expect(pick(words, 1)).toEqual({
      start: expect.closeTo(0.5, 1),
      end: expect.closeTo(0.7, 1),
      transcript: 'one',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  test('SPK-003 SPK-005 needs data, not a URL, and no rate', () => {
    const { json } = transcribe({ audio_url: 'https://example.com/a.wav', sampling_rate: undefined });
    expect(json).toMatchObject({
      transcript: 'A recording from example.com.',
      transcript_translation_with_timestamp: null,
    });
  });

  test('SPK-008 SPK-014 SPK-017 SPK-019 is translated and spoken on request', () => {
    const { json } = transcribe({
      target_language: 'german',
      is_translate: true,
      return_translation_audio: true,
    });
    expect(pick(json, 'translation')).toBe('drei eins vier eins fünf neun');
    const recording = readWav(Buffer.from(String(pick(json, 'audio_base64')), 'base64'));
    if (recording === undefined) throw new Error('no WAV');
    expect(decodeDigits(recording).map(({ digit }) => digit)).toEqual(digits);
  });

  test('SPK-011 has at most max_tokens words', () => {
    expect(pick(transcribe({ max_tokens: 2 }).json, 'transcript')).toBe('three one');
  });

  test('SPK-013 SPK-014 SPK-017 has the spoken words with their times, also translated', () => {
    const audio_url = dataUri(writeWav(speakWords('We meet at ten, in the harbour.'), 16_000));
    const { json } = transcribe({
      audio_url,
      target_language: 'german',
      is_translate: true,
      return_translation_audio: true,
    });
    expect(pick(json, 'transcript')).toBe('We meet at ten, in the harbour.');
    expect(pick(json, 'transcript_translation_with_timestamp')).toHaveLength(7);
    expect(pick(json, 'translation')).toBe('(german) We meet at ten, in the harbour.');
    const recording = readWav(Buffer.from(String(pick(json, 'audio_base64')), 'base64'));
    if (recording === undefined) throw new Error('no WAV');
    expect(
      decodeWords(recording)
        .map(({ transcript }) => transcript)
        .join(' '),
    ).toBe('(german) We meet at ten, in the harbour.');
  });

  test('of other sound says that it is not understood', () => {
    const hum = Float32Array.from({ length: 64_000 }, (_, at) => 0.3 * Math.sin(at / 20));
    expect(transcriptOf(hum)).toBe('this is sound in which no words can be heard');
  });

  test('of silence is empty, and of other sound as long as fits it', () => {
    expect(transcriptOf(new Float32Array(16_000))).toBe('');
    const hum = Float32Array.from({ length: 64_000 }, (_, at) => 0.3 * Math.sin(at / 20));
    expect(String(transcriptOf(hum)).split(' ')).toHaveLength(10);
  });

  test('has the tones also at another rate, with two channels and with noise', () => {
    const samples = speakDigits([0, 7, 7, 8], { rate: 8000 }).map(
      (sample, at) => sample + 0.05 * Math.sin(at * at),
    );
    const recognized = decodeDigits({ rate: 8000, channels: 1, samples });
    expect(recognized.map(({ digit }) => digit)).toEqual([0, 7, 7, 8]);
  });
});
