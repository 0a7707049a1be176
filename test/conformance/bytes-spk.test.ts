import { expect, test } from '@jest/globals';
import type { Transcript } from '../../shared/upstream/index.ts';
import type { SpeechRequest, TranslationRequest } from '../../shared/upstream/index.ts';
import { KEY } from '../upstream/raw-server-harness.ts';
import { overBytes, TEXT } from './over-bytes.ts';
import { onBytes } from './rows.ts';
import { recording, errorBody } from './samples.ts';

const AUDIO = recording([1, 2, 3]);
const DATA_URI = `data:audio/wav;base64,${AUDIO.toString('base64')}`;
const URL_OF = { url: 'https://example.com/a.wav' } as const;

/** The client sends exactly these fields for a transcription, or for a translation where `to` is given. */
const sends = (request: Partial<SpeechRequest & TranslationRequest>, fields: object): Promise<void> =>
  overBytes(
    () => ({ json: { transcript: TEXT } }),
    async ({ upstream, server }) => {
      const audio = request.audio ?? AUDIO;
      const { to } = request;
      const { text } = await (to === undefined
        ? upstream.speech.transcribe({ ...request, audio })
        : upstream.speech.translate({ ...request, audio, to }));
      expect(text).toBe(TEXT);
      expect(server.requests.map(({ method, path }) => [method, path])).toEqual([
        ['POST', '/v1/transcription_or_translation'],
      ]);
      expect(server.requests[0]?.body).toEqual({
        audio_url: DATA_URI,
        sampling_rate: 16_000,
        max_tokens: 2_048,
        ...fields,
      });
    },
  );

/** What the client makes of this response. */
const reads = (json: object, expected: Partial<Transcript>): Promise<void> =>
  overBytes(
    () => ({ json }),
    async ({ upstream }) =>
      expect(await upstream.speech.transcribe({ audio: AUDIO })).toMatchObject(expected),
  );

test(onBytes('SPK-001'), () =>
  overBytes(
    () => ({ json: { transcript: TEXT } }),
    async ({ upstream, server }) => {
      await upstream.speech.transcribe({ audio: AUDIO });
      expect(server.requests[0]?.headers).toMatchObject({
        'x-api-key': KEY,
        'content-type': 'application/json',
      });
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    },
  ),
);

test(onBytes('SPK-002'), () => sends({}, {}));

test(onBytes('SPK-003'), async () => {
  await sends({}, { audio_url: DATA_URI });
  await sends({ audio: URL_OF }, { audio_url: URL_OF.url });
  await sends({ audio: { url: DATA_URI } }, {});
});

test(onBytes('SPK-005'), async () => {
  await sends({ audio: URL_OF }, { audio_url: URL_OF.url, sampling_rate: 16_000 });
  await sends({ audio: { ...URL_OF, samplingRate: 8_000 } }, { audio_url: URL_OF.url, sampling_rate: 8_000 });
});

test(onBytes('SPK-006'), async () => {
  const audio = recording([1], 24_000);
  await sends(
    { audio },
    { audio_url: `data:audio/wav;base64,${audio.toString('base64')}`, sampling_rate: 24_000 },
  );
});

test(onBytes('SPK-007'), async () => {
  const names = {
    fr: 'french',
    'pt-BR': 'portuguese',
    ENGLISH: 'english',
    deu: 'german',
    ' Klingon ': 'klingon',
  };
  for (const [to, name] of Object.entries(names))
    await sends({ to }, { target_language: name, is_translate: true });
});

test(onBytes('SPK-008'), async () => {
  await sends({ to: 'fr' }, { target_language: 'french', is_translate: true });
  await sends({}, {});
});

test(onBytes('SPK-009'), async () => {
  const fields = { target_language: 'french', is_translate: true };
  await sends({ to: 'fr', speak: true }, { ...fields, return_translation_audio: true });
  await sends({ to: 'fr', speak: false }, fields);
});

test(onBytes('SPK-010'), async () => {
  await sends({ temperature: 0 }, { temperature: 0 });
  await sends(
    { temperature: 0.7, to: 'fr' },
    { temperature: 0.7, target_language: 'french', is_translate: true },
  );
});

test(onBytes('SPK-011'), () => sends({ maxTokens: 5 }, { max_tokens: 5 }));
test(onBytes('SPK-022'), () => sends({ to: 'ja' }, { target_language: 'japanese', is_translate: true }));

test(onBytes('SPK-013'), async () => {
  await reads({ transcript: TEXT }, { text: TEXT });
  await reads({ transcript: null }, { text: '' });
});

const TIMES = 'transcript_translation_with_timestamp';
const WORDS = [
  { start: 0, end: 0.5, transcript: 'Grüße' },
  { start: 0.5, end: 1.25, transcript: '👋' },
];

test(onBytes('SPK-015'), async () => {
  await reads({ transcript: TEXT, [TIMES]: null }, { words: [] });
  await reads({ transcript: TEXT, [TIMES]: [] }, { words: [] });
});

test(onBytes('SPK-016'), () =>
  reads(
    { transcript: TEXT, [TIMES]: [...WORDS, { start: 1, transcript: 'no end' }, null] },
    { words: WORDS.map(({ start, end, transcript }) => ({ start, end, text: transcript })) },
  ),
);

test(onBytes('SPK-018'), async () => {
  const nothing = { text: '', translation: undefined, words: [], audio: [] };
  await reads({}, nothing);
  await reads({ transcript: null, translation: null, [TIMES]: null, audio_base64: null }, nothing);
});

test(onBytes('SPK-019'), () =>
  overBytes(
    ({ body }) => ({
      json: {
        transcript: TEXT,
        translation: body['is_translate'] === true ? 'Saluts' : null,
        audio_base64: body['return_translation_audio'] === true ? AUDIO.toString('base64') : null,
      },
    }),
    async ({ upstream: { speech } }) => {
      const audio = AUDIO;
      expect(await speech.transcribe({ audio })).toMatchObject({
        text: TEXT,
        translation: undefined,
        audio: [],
      });
      expect(await speech.translate({ audio, to: 'fr' })).toMatchObject({
        text: TEXT,
        translation: 'Saluts',
        audio: [],
      });
      expect((await speech.translate({ audio, to: 'fr', speak: true })).audio).toEqual([AUDIO]);
    },
  ),
);

test(onBytes('SPK-020'), async () => {
  const forms: readonly unknown[] = [
    errorBody('x', 'bad_audio'),
    { error: 'No.' },
    { detail: 'No.' },
    { detail: [{ loc: ['body'], msg: 'No.', type: 'x' }] },
  ];
  for (const form of [...forms.map((json) => ({ json })), { text: 'No.' }]) {
    await overBytes(
      () => ({ status: 400, ...form }),
      async ({ upstream }) =>
        expect(upstream.speech.transcribe({ audio: AUDIO })).rejects.toMatchObject({
          kind: 'bad-request',
          message: expect.stringContaining('No.'),
        }),
    );
  }
});

test(onBytes('SPK-021'), () =>
  overBytes(
    (_, count) =>
      count === 1
        ? { status: 429, json: errorBody('x', 'rate_limit_exceeded'), headers: { 'retry-after': '3' } }
        : { json: { transcript: TEXT } },
    async ({ upstream, time }) => {
      expect((await upstream.speech.transcribe({ audio: AUDIO })).text).toBe(TEXT);
      expect(time.waits).toEqual([3_250]);
    },
  ),
);
