import { expect, test } from '@jest/globals';
import { pick, type Seen } from '../simulators/upstream/test-client.ts';
import type { JsonObject } from '../simulators/upstream/json.ts';
import { writeWav } from '../simulators/upstream/speech/wav.ts';
import { reply } from '../upstream/raw-server.ts';
import { KEY, withServer } from '../upstream/raw-server-harness.ts';
import { row } from './rows.ts';
import { recording, errorBody } from './samples.ts';
import { bodyOf, outcomeOf, service } from './service.ts';

const { sim, send, client, last } = service();

const PATH = '/v1/transcription_or_translation';
const dataUri = (bytes: Buffer): string => `data:audio/wav;base64,${bytes.toString('base64')}`;
const BODY = { audio_url: dataUri(recording([1, 2, 3])), sampling_rate: 16_000 };

const speech = (patch: JsonObject = {}): Promise<Seen> =>
  send({ path: PATH, headers: { 'x-api-key': sim().apiKey }, body: { ...BODY, ...patch } });

/** `200`, or `400 param`, for each of these changes. */
async function outcomes(...patches: readonly JsonObject[]): Promise<string[]> {
  const all: string[] = [];
  for (const patch of patches) all.push(outcomeOf(await speech(patch)));
  return all;
}

const AUDIO = { audio: recording([1, 2, 3]) };
const transcribeAnswer = (answer: object) =>
  withServer(
    (socket) => reply(socket, 200, answer),
    async ({ upstream }) => upstream.speech.transcribe(AUDIO),
  );

test(row('SPK-001'), async () => {
  expect((await speech()).status).toBe(200);
  expect((await send({ path: PATH, body: BODY })).status).toBe(401);
  await withServer(
    (socket) => reply(socket, 200, { transcript: 'x' }),
    async ({ upstream, server }) => {
      await upstream.speech.transcribe(AUDIO);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY });
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    },
  );
});

test(row('SPK-002'), async () => {
  expect(await outcomes({ audio_url: undefined }, { audio_url: 7 })).toEqual([
    '400 audio_url',
    '400 audio_url',
  ]);
  await client().speech.transcribe(AUDIO);
  expect([last().status, bodyOf(last())['audio_url']]).toEqual([200, BODY.audio_url]);
});

test(row('SPK-003'), async () => {
  expect(await outcomes({}, { audio_url: 'https://example.com/a.wav' })).toEqual(['200', '200']);
  const url = 'https://example.com/a.wav';
  await client().speech.transcribe({ audio: { url } });
  expect(bodyOf(last())['audio_url']).toBe(url);
  await client().speech.transcribe(AUDIO);
  expect(bodyOf(last())['audio_url']).toMatch(/^data:audio\/wav;base64,[A-Za-z0-9+/]+={0,2}$/u);
  const others = ['file:///etc/x', dataUri(recording()).replace('audio/wav', 'audio/x-wav')];
  for (const other of others)
    await expect(client().speech.transcribe({ audio: { url: other } })).rejects.toMatchObject({
      code: 'not_wav',
    });
});

test(row('SPK-004'), async () => {
  const wrong = [
    'hello',
    '',
    'data:audio/ogg;base64,AAAA',
    dataUri(recording()).replace('audio/wav', 'audio/x-wav'),
    dataUri(recording()).replace('audio/wav', 'audio/wave'),
    'data:audio/wav;base64,',
    'ftp://example.com/a.wav',
  ];
  expect(await outcomes(...wrong.map((audio_url) => ({ audio_url })))).toEqual(
    wrong.map(() => '400 audio_url'),
  );
  expect(await outcomes({ audio_url: dataUri(Buffer.from('hello')) })).toEqual(['400 audio_url']);
});

test(row('SPK-005'), async () => {
  const rates = [16_000, undefined, '16000', 1.5, 0].map((sampling_rate) => ({ sampling_rate }));
  const wrong = '400 sampling_rate';
  expect(await outcomes(...rates)).toEqual(['200', '200', wrong, wrong, wrong]);
  await client().speech.transcribe({ audio: { url: 'https://example.com/a.wav' } });
  expect(bodyOf(last())['sampling_rate']).toBe(16_000);
});

test(row('SPK-006'), async () => {
  for (const rate of [16_000, 24_000]) {
    await client().speech.transcribe({ audio: recording([1], rate) });
    expect(bodyOf(last())['sampling_rate']).toBe(rate);
  }
});

const NAMES = [
  'english',
  'french',
  'spanish',
  'japanese',
  'chinese',
  'korean',
  'italian',
  'portuguese',
  'german',
];

test(row('SPK-007'), async () => {
  const all = [...NAMES, 'French', 'fr', 'klingon'].map((target_language) => ({ target_language }));
  const wrong = '400 target_language';
  expect(await outcomes(...all)).toEqual([...NAMES.map(() => '200'), wrong, wrong, wrong]);
  for (const to of ['fr', 'fr-CA', 'FRENCH', ' french ', 'fra']) {
    await client().speech.translate({ ...AUDIO, to });
    expect(bodyOf(last())['target_language']).toBe('french');
  }
});

test(row('SPK-008'), async () => {
  expect(await outcomes({ is_translate: true, target_language: 'french' }, { is_translate: false })).toEqual([
    '200',
    '200',
  ]);
  expect(await outcomes({ is_translate: 'yes' })).toEqual(['400 is_translate']);
  const translation = async (is_translate: unknown): Promise<unknown> =>
    pick((await speech({ is_translate, target_language: 'german' })).json, 'translation');
  expect([await translation(true), await translation(false), await translation(undefined)]).toEqual([
    'eins zwei drei',
    null,
    null,
  ]);
  await client().speech.translate({ ...AUDIO, to: 'french' });
  expect(bodyOf(last())['is_translate']).toBe(true);
  await client().speech.transcribe(AUDIO);
  expect(bodyOf(last())).not.toHaveProperty('is_translate');
});

test(row('SPK-009'), async () => {
  expect(await outcomes({ return_translation_audio: 'yes' })).toEqual(['400 return_translation_audio']);
  const fields = { target_language: 'french', is_translate: true };
  expect(pick((await speech(fields)).json, 'audio_base64')).toBeNull();
  const { audio } = await client().speech.translate({ ...AUDIO, to: 'french', speak: true });
  expect(bodyOf(last())['return_translation_audio']).toBe(true);
  expect(audio.map((file) => file.toString('latin1', 0, 4))).toEqual(['RIFF']);
});

test(row('SPK-010'), async () => {
  const values = [0, 0.7, null, 'warm'].map((temperature) => ({ temperature }));
  expect(await outcomes(...values)).toEqual(['200', '200', '200', '400 temperature']);
  expect((await speech({ temperature: 0 })).text).toBe((await speech({ temperature: 0 })).text);
  await client().speech.transcribe({ ...AUDIO, temperature: 0 });
  expect(bodyOf(last())['temperature']).toBe(0);
});

test(row('SPK-011'), async () => {
  const words = async (patch: JsonObject): Promise<unknown> => pick((await speech(patch)).json, 'transcript');
  expect([await words({ max_tokens: 2 }), await words({}), await words({ max_tokens: null })]).toEqual([
    'one two',
    'one two three',
    'one two three',
  ]);
  // Seven minutes of sound that is no tone: the simulator hears a word in each 0.4 s of it.
  const hum = Float32Array.from({ length: 440_000 }, (_, at) => ((at % 7) - 3) / 10);
  const long = { audio_url: dataUri(writeWav(hum, 1_000)), sampling_rate: 1_000 };
  const count = String(await words(long)).split(' ').length;
  expect(count).toBe(1024);
  await client().speech.transcribe({ ...AUDIO, maxTokens: 5 });
  expect(bodyOf(last())['max_tokens']).toBe(5);
});

test(row('SPK-012'), async () => {
  const wrong = [0, -1, 1.5].map((max_tokens) => ({ max_tokens }));
  expect(await outcomes(...wrong, { max_tokens: 1 })).toEqual([...wrong.map(() => '400 max_tokens'), '200']);
});

test(row('SPK-013'), async () => {
  expect(pick((await speech()).json, 'transcript')).toBe('one two three');
  expect((await client().speech.transcribe(AUDIO)).text).toBe('one two three');
  expect((await transcribeAnswer({ transcript: null })).text).toBe('');
});

test(row('SPK-014'), async () => {
  expect(pick((await speech()).json, 'translation')).toBeNull();
  expect(pick((await speech({ is_translate: true })).json, 'translation')).toBeNull();
  const fields = { target_language: 'german', is_translate: true };
  expect(pick((await speech(fields)).json, 'translation')).toBe('eins zwei drei');
});

test(row('SPK-015'), async () => {
  const times = 'transcript_translation_with_timestamp';
  expect(Array.isArray(pick((await speech()).json, times))).toBe(true);
  const away = await speech({ audio_url: 'https://example.com/a.wav' });
  expect(pick(away.json, times)).toBeNull();
  expect((await transcribeAnswer({ transcript: 'x', [times]: null })).words).toEqual([]);
});

test(row('SPK-016'), async () => {
  const words = pick((await speech()).json, 'transcript_translation_with_timestamp');
  const word = { start: expect.any(Number), end: expect.any(Number), transcript: expect.any(String) };
  expect(words).toEqual([word, word, word]);
  const transcript = await client().speech.transcribe(AUDIO);
  expect(transcript.words.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  const times = transcript.words.flatMap(({ start, end }) => [start, end]);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test(row('SPK-017'), async () => {
  const fields = { target_language: 'german', is_translate: true };
  const audio = pick((await speech({ ...fields, return_translation_audio: true })).json, 'audio_base64');
  expect(Buffer.from(String(audio), 'base64').toString('latin1', 8, 12)).toBe('WAVE');
  expect(pick((await speech(fields)).json, 'audio_base64')).toBeNull();
});

test(row('SPK-018'), async () => {
  const nothing = { text: '', translation: undefined, words: [], audio: [] };
  const fields = ['transcript', 'translation', 'transcript_translation_with_timestamp', 'audio_base64'];
  expect(await transcribeAnswer({})).toMatchObject(nothing);
  expect(await transcribeAnswer(Object.fromEntries(fields.map((name) => [name, null])))).toMatchObject(
    nothing,
  );
});

test(row('SPK-019'), async () => {
  const { speech: upstream } = client();
  const written = await upstream.transcribe(AUDIO);
  const translated = await upstream.translate({ ...AUDIO, to: 'de' });
  const transcript = await upstream.translate({ ...AUDIO, to: 'de', speak: true });
  expect([written, translated, transcript].map(({ text }) => text)).toEqual(Array(3).fill('one two three'));
  expect([written, translated, transcript].map(({ translation }) => translation)).toEqual([
    undefined,
    'eins zwei drei',
    'eins zwei drei',
  ]);
  expect([written, translated, transcript].map(({ audio }) => audio.length)).toEqual([0, 0, 1]);
});

test(row('SPK-020'), async () => {
  const forms: readonly unknown[] = [
    errorBody('validation_error', 'bad_audio', 'audio_url'),
    { error: 'No.' },
    { detail: 'No.' },
    { detail: [{ loc: ['body', 'audio_url'], msg: 'No.', type: 'x' }] },
    'No.',
  ];
  for (const form of forms) {
    await withServer(
      (socket) => reply(socket, 400, form),
      async ({ upstream }) => {
        await expect(upstream.speech.transcribe(AUDIO)).rejects.toMatchObject({
          kind: 'bad-request',
          message: expect.stringContaining('No.'),
        });
      },
    );
  }
});

test(row('SPK-021'), async () => {
  for (let n = 0; n < 40; n += 1) expect((await speech()).status).toBe(200);
  await withServer(
    (socket, _, count) =>
      count === 1
        ? reply(socket, 429, errorBody('x', 'rate_limit_exceeded'), { 'retry-after': '3' })
        : reply(socket, 200, { transcript: 'x' }),
    async ({ upstream, time }) => {
      expect((await upstream.speech.transcribe(AUDIO)).text).toBe('x');
      expect(time.waits).toEqual([3_250]);
    },
  );
});

test(row('SPK-022'), async () => {
  for (const speak of [false, true]) {
    const { translation } = await client().speech.translate({ ...AUDIO, to: 'ja', speak });
    expect(bodyOf(last())).toMatchObject({ target_language: 'japanese', is_translate: true });
    // The simulator translates only with both fields.
    expect(translation).toBe('一 二 三');
  }
});
