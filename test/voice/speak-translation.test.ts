import { expect, test } from '@jest/globals';
import type { TranscriptionTask } from '../../shared/domain/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { AuthError, MalformedAnswerError, RateLimitedError } from '../../shared/upstream/index.ts';
import { INTERACTION, voiceHarness, task, textOf, withoutLookup } from './voice-harness.ts';

const pressed = (id: string, to: string) =>
  task({ kind: 'translate', to, speak: true, interaction: { ...INTERACTION, id } });
const SPEAK = pressed('I1', 'fr');
const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, n) => from + n);
const soundOf = (from: number, until: number) => String.fromCharCode(...numbers(from, until));

type World = ReturnType<typeof voiceHarness>;

/** A context with a recording that is already transcribed. */
async function written(chunks: number): Promise<World> {
  const harness = voiceHarness({ F1: { chunks } });
  await runTranscriptionTask(task({ kind: 'show' }), harness.context, harness.delivery);
  for (const list of [harness.transcriptions, harness.uploads]) list.splice(0);
  return harness;
}

/** Runs a task and its follow-up tasks. Resolves with the last result. */
async function served({ context, delivery, again }: World, first: TranscriptionTask | undefined) {
  let verdict;
  for (let next: TranscriptionTask | undefined = first; next; next = again.shift()) {
    verdict = await runTranscriptionTask(next, context, {
      ...delivery,
      deadline: context.time.now() + 900_000,
    });
  }
  return verdict;
}

test('a long translation is spoken in files of a few minutes, each chunk once', async () => {
  const harness = await written(30);
  await served(harness, SPEAK);
  expect(harness.uploads).toEqual([
    { key: 'voice#1.1#F1#fr#I1#0#11', words: 'Spoken in French, 0:00 to 4:00', content: soundOf(0, 12) },
    { key: 'voice#1.1#F1#fr#I1#12#23', words: 'Spoken in French, 4:00 to 8:00', content: soundOf(12, 24) },
    { key: 'voice#1.1#F1#fr#I1#24#29', words: 'Spoken in French, 8:00 to 10:00', content: soundOf(24, 30) },
  ]);
  expect(harness.transcriptions.map(({ n }) => n)).toEqual(numbers(0, 30));
  expect(harness.responses.map(textOf)).toEqual([expect.stringContaining('mot0 mot1')]);
});

const LIMITED = new RateLimitedError('no', { status: 429, code: 'rate_limit_exceeded', retryAfterMs: 7_000 });

test('after a rate limit, speech continues: uploaded chunks are not requested again', async () => {
  const harness = await written(12);
  harness.hooks.beforeTranscribe = (n) => {
    if (n >= 7) throw LIMITED;
  };
  expect(await served(harness, SPEAK)).toEqual({ kind: 'later', afterMs: 7_000 });
  expect(harness.uploads.map(({ content }) => content)).toEqual([soundOf(0, 7)]);
  delete harness.hooks.beforeTranscribe;
  const request = { ...SPEAK.request, nextChunk: 7 };
  await served(harness, { ...SPEAK, doneChunks: 7, request });
  expect(harness.uploads.map(({ content }) => content)).toEqual([soundOf(0, 7), soundOf(7, 12)]);
  expect(harness.transcriptions.map(({ n }) => n)).toEqual(numbers(0, 12));
});

test('after the deadline, speech continues where it stopped', async () => {
  const harness = await written(12);
  harness.hooks.beforeTranscribe = (n) => {
    if (n === 4) harness.time.advance(850_000);
  };
  await served(harness, SPEAK);
  expect(harness.uploads.map(({ content }) => content).join('')).toBe(soundOf(0, 12));
  expect(harness.uploads).toHaveLength(2);
  expect(harness.transcriptions.map(({ n }) => n)).toEqual(numbers(0, 12));
});

test('a crash loses only speech that was not uploaded', async () => {
  const harness = await written(20);
  harness.hooks.beforeTranscribe = (n) => {
    if (n === 15) throw new Error('killed');
  };
  await runTranscriptionTask(SPEAK, harness.context, harness.delivery);
  const [next] = harness.again.splice(0);
  // A killed process cannot upload its results.
  const messenger = { ...harness.context.messenger, upload: () => Promise.reject(new Error('killed')) };
  await expect(
    runTranscriptionTask(next ?? SPEAK, { ...harness.context, messenger }, harness.delivery),
  ).rejects.toThrow('killed');
  delete harness.hooks.beforeTranscribe;
  await served(harness, next);
  expect(harness.uploads.map(({ content }) => content).join('')).toBe(soundOf(0, 20));
  const times = Map.groupBy(harness.transcriptions, ({ n }) => n);
  const twice = [...times].filter(([, { length }]) => length > 1).map(([n]) => n);
  expect(twice).toEqual(expect.arrayContaining([12, 13, 14]));
  expect(Math.min(...twice)).toBe(12);
});

type Part = 'messenger' | 'recordingsQueue';

/** The same world, but the process dies at the first call of this method, before or after its effect. */
function dyingAt(harness: World, port: Part, method: 'upload' | 'send', effect: 'before' | 'after'): World {
  const target = harness.context[port];
  const dying = new Proxy(target, {
    get(of, name) {
      const real: unknown = Reflect.get(of, name);
      if (name !== method || typeof real !== 'function') return real;
      return async (...args: unknown[]): Promise<unknown> => {
        if (effect === 'after') await Reflect.apply(real, of, args);
        throw new Error('killed');
      };
    },
  });
  return { ...harness, context: { ...harness.context, [port]: dying } };
}

test.each([
  ['between the upload and its record', 'messenger', 'upload', 'after'],
  ['before the next task is queued', 'recordingsQueue', 'send', 'before'],
] as const)(
  'after a crash %s, the next delivery continues behind the file, and no chunk is requested twice',
  async (_, port, method, effect) => {
    const harness = await written(14);
    harness.hooks.beforeTranscribe = (n) => {
      if (n === 7) throw LIMITED;
    };
    const dying = dyingAt(harness, port, method, effect);
    await expect(runTranscriptionTask(SPEAK, dying.context, harness.delivery)).rejects.toThrow('killed');
    expect(harness.uploads.map(({ content }) => content)).toEqual([soundOf(0, 7)]);
    delete harness.hooks.beforeTranscribe;
    const before = harness.transcriptions.splice(0).map(({ n }) => n);
    await served(harness, SPEAK);
    expect(harness.uploads.map(({ content }) => content)).toEqual([soundOf(0, 7), soundOf(7, 14)]);
    expect(before.filter((n) => n < 7)).toEqual(numbers(0, 7));
    expect(harness.transcriptions.map(({ n }) => n)).toEqual(numbers(7, 14));
    expect(harness.responses).toHaveLength(1);
    // Another delivery of the first task speaks nothing again.
    await served(harness, SPEAK);
    expect(harness.uploads).toHaveLength(2);
  },
);

test('after a crash before the upload, the same chunks give the same file with the same key', async () => {
  const harness = await written(14);
  harness.hooks.beforeTranscribe = (n) => {
    if (n === 7) throw LIMITED;
  };
  const dying = dyingAt(harness, 'messenger', 'upload', 'before');
  await expect(runTranscriptionTask(SPEAK, dying.context, harness.delivery)).rejects.toThrow('killed');
  delete harness.hooks.beforeTranscribe;
  await served(harness, SPEAK);
  expect(harness.uploads.map(({ key, content }) => [key, content])).toEqual([
    ['voice#1.1#F1#fr#I1#0#6', soundOf(0, 7)],
    ['voice#1.1#F1#fr#I1#7#13', soundOf(7, 14)],
  ]);
});

test('a permanent failure is reported after the speech so far is uploaded', async () => {
  const harness = await written(3);
  harness.hooks.beforeTranscribe = (n) => {
    if (n === 2) throw new AuthError('no', { status: 401 });
  };
  await served(harness, SPEAK);
  expect(harness.uploads.map(({ words, content }) => [words, content])).toEqual([
    ['Spoken in French, 0:00 to 0:40', soundOf(0, 2)],
  ]);
  expect(harness.responses.map(textOf)).toEqual([expect.stringContaining('rejected my API key')]);
});

test('speech that cannot be played is reported as such, with what shows the translation instead', async () => {
  const harness = await written(3);
  harness.hooks.beforeTranscribe = () => {
    throw new MalformedAnswerError('no WAV', { code: 'not_wav' });
  };
  await served(harness, SPEAK);
  expect(harness.uploads).toEqual([]);
  expect(harness.responses.map(textOf)).toEqual([
    expect.stringMatching(/^The speech service sent audio that I cannot play. “Translate” shows/u),
  ]);
});

test('later requests get a link to the complete speech; if it was deleted, it is spoken again', async () => {
  const harness = await written(14);
  await served(harness, SPEAK);
  await served(harness, pressed('I2', 'fr'));
  expect(textOf(harness.responses.at(-1))).toBe('This is already spoken: https://example.com/8.1');
  expect([harness.transcriptions.length, harness.uploads.length]).toEqual([14, 2]);
  await served(harness, pressed('I3', 'de'));
  expect(harness.uploads).toHaveLength(4);
  const messenger = { ...harness.context.messenger, getPermalink: () => Promise.resolve(undefined) };
  await served({ ...harness, context: { ...harness.context, messenger } }, pressed('I4', 'fr'));
  expect(harness.uploads).toHaveLength(6);
});

test('speech is not spoken again when it is unknown whether its message exists', async () => {
  const harness = await written(14);
  await served(harness, SPEAK);
  const requests = harness.transcriptions.length;
  const context = { ...harness.context, messenger: withoutLookup(harness.context.messenger) };
  const again = runTranscriptionTask(pressed('I2', 'fr'), context, harness.delivery);
  await expect(again).rejects.toThrow('the platform cannot be reached');
  expect(harness.transcriptions).toHaveLength(requests);
});

test('a recording without speech is not uploaded', async () => {
  const harness = await written(3);
  const transcriptionClient = { transcribe: () => Promise.resolve({ text: '', words: [], audio: [] }) };
  await runTranscriptionTask(SPEAK, { ...harness.context, transcriptionClient }, harness.delivery);
  expect(harness.uploads).toEqual([]);
});
