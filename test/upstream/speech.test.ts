import type { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { languageName } from '../../shared/upstream/index.ts';
import { splitWav, readWav, type Wav, writeWav } from '../../shared/upstream/speech/wav.ts';
import { reply } from './raw-server.ts';
import { asUpstreamError, KEY, until, withServer } from './raw-server-harness.ts';

/** A tone with silences at the given seconds. */
function recording(seconds: number, silences: readonly number[] = [], rate = 1_000): Buffer {
  const samples = new Int16Array(seconds * rate);
  for (let at = 0; at < samples.length; at += 1) {
    const quiet = silences.some((silence) => Math.abs(at / rate - silence) < 0.2);
    samples[at] = quiet ? 0 : 10_000 * (at % 2 === 0 ? 1 : -1);
  }
  return writeWav({ rate, channels: 1, samples: new Uint8Array(samples.buffer) });
}

/** Returns the duration in seconds. */
const getDuration = ({ rate, channels, samples }: Wav): number => samples.length / (rate * channels * 2);

describe('a WAV file', () => {
  test('is written and parsed', () => {
    const wav = readWav(recording(2));
    expect(wav).toMatchObject({ rate: 1_000, channels: 1 });
    expect(getDuration(wav)).toBe(2);
    expect(writeWav(wav)).toEqual(recording(2));
  });

  test('is parsed with chunks other than audio, and with the open length of a streaming recorder', () => {
    const plain = recording(1);
    const list = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1');
    const odd = Buffer.concat([plain.subarray(0, 36), list, plain.subarray(36)]);
    expect(getDuration(readWav(odd))).toBe(1);
    for (const length of [0, 0xffffffff]) {
      const open = Buffer.from(plain);
      open.writeUInt32LE(length, 40);
      expect(getDuration(readWav(open))).toBe(1);
    }
  });

  test.each([
    ['OggS', Buffer.from(`OggS${' '.repeat(60)}`)],
    ['nothing', Buffer.alloc(0)],
    ['no sound', recording(1).subarray(0, 36)],
    ['8 bits', Buffer.from(recording(1)).fill(8, 34, 35)],
  ])('that is invalid is rejected: %s', (_, bytes) => {
    expect(() => readWav(bytes)).toThrow('The recording cannot be sent');
  });

  test('is split at the quietest moments, and no sample is lost', () => {
    const wav = readWav(recording(25, [8, 16.5]));
    const pieces = splitWav(wav, 10);
    expect(pieces.map(({ start }) => Math.round(start * 2) / 2)).toEqual([0, 8, 16.5]);
    expect(Buffer.concat(pieces.map((piece) => piece.wav.samples))).toEqual(Buffer.from(wav.samples));
    expect(Math.max(...pieces.map((piece) => getDuration(piece.wav)))).toBeLessThanOrEqual(10);
    expect(splitWav(wav, 25)).toHaveLength(1);
    expect(splitWav(wav, 0.5).length).toBeGreaterThan(49);
  });
});

test.each([
  ['fr', 'french'],
  ['French', 'french'],
  ['pt-BR', 'portuguese'],
  ['zh_TW', 'chinese'],
  ['deu', 'german'],
  [' Klingon ', 'klingon'],
])('the language %s is %s to the service', (language, name) => {
  expect(languageName(language)).toBe(name);
});

describe('speech', () => {
  const word = { start: 0.5, end: 1, transcript: 'hello' };

  test('is transcribed, with the time of each word', async () => {
    const body = {
      transcript: 'hello',
      translation: null,
      transcript_translation_with_timestamp: [word, { start: 'x' }],
      audio_base64: null,
    };
    await withServer(
      (socket) => reply(socket, 200, body, { 'x-request-id': 'r-1' }),
      async ({ upstream, server, time }) => {
        const audio = recording(1);
        expect(await upstream.speech.transcribe({ audio, temperature: 0 })).toEqual({
          text: 'hello',
          words: [{ start: 0.5, end: 1, text: 'hello' }],
          audio: [],
          requestId: 'r-1',
        });
        expect(server.requests[0]).toMatchObject({
          path: '/v1/transcription_or_translation',
          headers: { 'x-api-key': KEY },
          body: {
            audio_url: `data:audio/wav;base64,${audio.toString('base64')}`,
            sampling_rate: 1_000,
            max_tokens: 2_048,
            temperature: 0,
          },
        });
        expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
        expect(server.requests[0]?.body).not.toHaveProperty('is_translate');
        expect(time.pending).toBe(0);
      },
    );
  });

  test.each([
    ['MP3', Buffer.from('ID3\x04\0\0')],
    ['a WAV of 8 bits', Buffer.from(recording(1)).fill(8, 34, 35)],
  ])('is not spoken in %s, which nothing can play, and not requested again', async (_, speech) => {
    const body = { transcript: 'hello', translation: 'bonjour', audio_base64: speech.toString('base64') };
    await withServer(
      (socket) => reply(socket, 200, body, { 'x-request-id': 'r-1' }),
      async ({ upstream, server }) => {
        await expect(
          upstream.speech.translate({ audio: recording(1), to: 'fr', speak: true }),
        ).rejects.toMatchObject({ kind: 'malformed', code: 'not_wav', requestId: 'r-1' });
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('is translated, and spoken', async () => {
    const body = {
      transcript: 'hello',
      translation: 'bonjour',
      audio_base64: Buffer.from(recording(1)).toString('base64'),
    };
    await withServer(
      (socket) => reply(socket, 200, body),
      async ({ upstream, server }) => {
        const audio = { url: 'https://files.example/a.wav' };
        const { translation, audio: speech } = await upstream.speech.translate({
          audio,
          to: 'fr',
          speak: true,
        });
        expect(translation).toBe('bonjour');
        expect(speech).toEqual([Buffer.from(recording(1))]);
        expect(server.requests[0]?.body).toEqual({
          audio_url: audio.url,
          sampling_rate: 16_000,
          max_tokens: 2_048,
          target_language: 'french',
          is_translate: true,
          return_translation_audio: true,
        });
      },
    );
  });

  test('that is long is sent in parts and joined', async () => {
    await withServer(
      (socket, _, count) =>
        reply(socket, 200, {
          transcript: `part ${count}`,
          translation: `partie ${count}`,
          transcript_translation_with_timestamp: [word],
        }),
      async ({ upstream, server }) => {
        const tokens: number[] = [];
        const options = { beforeAttempt: async (attempt: number) => void tokens.push(attempt) };
        const transcript = await upstream.speech.translate(
          { audio: recording(15, [6]), to: 'fr', maxSeconds: 10 },
          options,
        );
        expect(transcript).toMatchObject({ text: 'part 1 part 2', translation: 'partie 1 partie 2' });
        expect(transcript.words.map(({ start }) => Math.round(start))).toEqual([1, 7]);
        expect(server.requests).toHaveLength(2);
        expect(tokens).toEqual([1, 1]);
      },
    );
  });

  test.each([
    [400, 'audio too long', { kind: 'bad-request', message: expect.stringContaining('audio too long') }],
    [422, { detail: 'bad rate' }, { kind: 'bad-request' }],
    [404, {}, { kind: 'not-found' }],
    [200, '[]', { kind: 'malformed' }],
  ])('that is rejected with %d %j is an error', async (status, body, expected) => {
    await withServer(
      (socket) => reply(socket, status, body),
      async ({ upstream, server }) => {
        const error = await upstream.speech
          .transcribe({ audio: recording(1) })
          .catch((reason: unknown) => reason);
        expect(asUpstreamError(error)).toMatchObject(expected);
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test('that cannot be sent is not sent', async () => {
    await withServer(
      (socket) => reply(socket, 200, {}),
      async ({ upstream, server }) => {
        await expect(
          upstream.speech.transcribe({ audio: { url: 'file:///etc/passwd' } }),
        ).rejects.toMatchObject({ kind: 'bad-request' });
        await expect(upstream.speech.transcribe({ audio: Buffer.from('OggS') })).rejects.toMatchObject({
          code: 'not_wav',
        });
        expect(server.requests).toHaveLength(0);
      },
    );
  });
});

/** A response of which half arrives. */
const HALF =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"transcript":"Hal';

describe('a speech request that stalls', () => {
  test.each<[string, (socket: Socket) => unknown]>([
    ['without a word', () => undefined],
    ['in the middle of its answer', (socket) => socket.write(HALF)],
    [
      'while it sends a byte at a time',
      async (socket) => {
        socket.write(HALF);
        for (let sent = 0; sent < 50 && !socket.destroyed; sent += 1) {
          socket.write(' ');
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    ],
  ])('%s fails after three minutes and is not paid for twice', async (_, stalls) => {
    await withServer(
      (socket) => void stalls(socket),
      async ({ upstream, server, time }) => {
        const outcome = upstream.speech.transcribe({ audio: recording(1) }).catch(asUpstreamError);
        await until(() => server.requests.length === 1 && time.pending === 1);
        time.advance(179_000);
        expect(time.pending).toBe(1);
        time.advance(1_000);
        expect(await outcome).toMatchObject({ kind: 'timeout', code: 'total' });
        expect([server.requests.length, time.pending]).toEqual([1, 0]);
      },
    );
  });

  test('and is cut is not retried', async () => {
    await withServer(
      (socket) => void socket.end(HALF),
      async ({ upstream, server }) => {
        const outcome = await upstream.speech.transcribe({ audio: recording(1) }).catch(asUpstreamError);
        expect(outcome).toMatchObject({ kind: 'cut' });
        expect(server.requests).toHaveLength(1);
      },
    );
  });
});
