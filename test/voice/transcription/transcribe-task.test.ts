import { streamsOnly } from '../../fakes/streams-only.ts';
import { describe, expect, test } from '@jest/globals';
import { listCardFiles } from '../../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { MediaError } from '../../../shared/media/index.ts';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { AuthError } from '../../../shared/upstream/index.ts';
import { RECORDING, voiceHarness, task, textOf, THREAD, withoutFiles } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };
const ASKS = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const REF = { thread: THREAD, message: task(SHOW).message, file: 'F1' };

describe('a transcription', () => {
  test('is posted under its message with speaker, duration and ordered text', async () => {
    const { context, delivery, cards, recordings } = voiceHarness();
    expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
    const last = cards.at(-1);
    expect([last?.card.by, textOf(last?.card)]).toEqual(['U1', expect.stringMatching(/^1:00\n/u)]);
    expect(textOf(last?.card)).toContain('> word0 word1 word2');
    expect(new Set(cards.map(({ key }) => key))).toEqual(new Set(['voice#1.1#F1']));
    expect(await recordings.find(REF)).toMatchObject({ ms: 60_000, chunkCount: 3, card: last?.at });
    const [first] = await recordings.listChunks(REF);
    expect(first?.words).toEqual([{ fromMs: 100, toMs: 200, text: 'word0' }]);
  });

  test('is made once, however often the task is delivered', async () => {
    const { context, delivery, transcriptions, fetched, cards } = voiceHarness();
    await runTranscriptionTask(task(SHOW), context, delivery);
    const before = cards.length;
    await runTranscriptionTask(task(SHOW), context, { ...delivery, isRedelivery: true });
    expect([transcriptions.length, fetched.length, cards.length]).toEqual([3, 1, before]);
  });

  test('does not download a recording that is too long', async () => {
    const { context, delivery, fetched, transcriptions, cards } = voiceHarness();
    const long = { ...RECORDING, ms: 2 * 3_600_000 + 1 };
    await runTranscriptionTask({ ...task(SHOW), recordings: [long] }, context, delivery);
    expect([fetched, transcriptions]).toEqual([[], []]);
    expect(textOf(cards.at(-1)?.card)).toContain('longer than 2 hours');
    await runTranscriptionTask(
      { ...task(SHOW), recordings: [{ ...long, ms: 2 * 3_600_000 }] },
      context,
      delivery,
    );
    expect(fetched).toHaveLength(1);
  });

  test('is posted again from storage if its card was deleted', async () => {
    const { context, delivery, transcriptions, cards, recordings } = voiceHarness();
    await runTranscriptionTask(task(SHOW), context, delivery);
    cards.splice(0);
    const messenger = {
      ...context.messenger,
      getPermalink: () => Promise.resolve(undefined),
    };
    await runTranscriptionTask(task(SHOW), { ...context, messenger }, delivery);
    // A worker that dies now leaves the whole transcript.
    expect(cards).toHaveLength(1);
    expect(textOf(cards.at(-1)?.card)).toContain('> word0 word1 word2');
    expect(transcriptions).toHaveLength(3);
    expect(await recordings.find(REF)).toMatchObject({ card: cards.at(-1)?.at });
  });

  test('continues after a crash without repeating stored chunks', async () => {
    const { context, delivery, transcriptions, hooks } = voiceHarness({ F1: { chunks: 12 } });
    hooks.beforeTranscribe = (n) => {
      if (n === 7) throw new Error('killed');
    };
    await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('killed');
    delete hooks.beforeTranscribe;
    await runTranscriptionTask(task(SHOW), context, { ...delivery, isRedelivery: true });
    const counts = Map.groupBy(transcriptions, ({ n }) => n);
    expect([...counts.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect([...counts.values()].every((times) => times.length === 1)).toBe(true);
  });

  test('sends at most three requests at a time', async () => {
    const { context, delivery, hooks } = voiceHarness({ F1: { chunks: 9 } });
    let now = 0;
    let maxActive = 0;
    hooks.beforeTranscribe = async () => {
      maxActive = Math.max(maxActive, (now += 1));
      await new Promise((resolve) => void setImmediate(resolve));
      now -= 1;
    };
    await runTranscriptionTask(task(SHOW), context, delivery);
    expect(maxActive).toBeGreaterThan(1);
    expect(maxActive).toBeLessThanOrEqual(3);
  });

  test('is retried with its stored chunks when the deadline is near', async () => {
    const { context, delivery, transcriptions, hooks, time, recordings } = voiceHarness({
      F1: { chunks: 12 },
    });
    hooks.beforeTranscribe = (n) => {
      if (n === 5) time.advance(delivery.deadline - 1_000 - time.now());
    };
    expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({
      kind: 'later',
      afterMs: 1_000,
    });
    expect((await recordings.listChunks(REF)).length).toBe(transcriptions.length);
    await runTranscriptionTask(task(SHOW), context, { ...delivery, deadline: time.now() + 900_000 });
    expect(transcriptions.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    );
  });

  test('of a long recording has times and files, each once even after a crash', async () => {
    const { context, delivery, cards, uploads, recordings } = voiceHarness({ F1: { chunks: 12 } });
    const recordingTask = {
      ...task(SHOW),
      recordings: [{ ...RECORDING, name: 'Team: stand/up\u0000 .m4a' }],
    };
    recordings.finish = () => Promise.reject(new Error('killed'));
    await expect(runTranscriptionTask(recordingTask, context, delivery)).rejects.toThrow('killed');
    Reflect.deleteProperty(recordings, 'finish');
    await runTranscriptionTask(recordingTask, context, { ...delivery, isRedelivery: true });
    const card = cards.at(-1)?.card;
    expect(textOf(card)).toContain('> `3:40` word11');
    const files = new Map(
      listCardFiles(card ?? { parts: [] }).map(({ name, content }) => [
        name,
        new TextDecoder().decode(content),
      ]),
    );
    expect([...files.keys()]).toEqual([
      'Team-stand-up-transcript.txt',
      'Team-stand-up-transcript.vtt',
      'Team-stand-up-transcript.srt',
    ]);
    expect(files.get('Team-stand-up-transcript.txt')?.split('\n').at(-2)).toBe('[3:40] word11');
    expect(files.get('Team-stand-up-transcript.vtt')).toContain('00:00:20.100 --> 00:00:20.600\nword1\n');
    expect(uploads).toEqual([]);
  });

  test('uploads files separately if they cannot be attached; a note says if that fails', async () => {
    const { context, delivery, cards, recordings, uploads } = voiceHarness({ F1: { chunks: 12 } });
    const messenger = withoutFiles(context.messenger);
    await runTranscriptionTask(task(SHOW), { ...context, messenger }, delivery);
    expect(uploads.map(({ key }) => key)).toEqual(
      ['txt', 'vtt', 'srt'].map((ending) => `voice#1.1#F1#audio-transcript.${ending}`),
    );
    expect(textOf(cards.at(-1)?.card)).toContain('word11');
    expect(textOf(cards.at(-1)?.card)).not.toContain('could not be posted');
    expect(await recordings.find(REF)).toMatchObject({ chunkCount: 12 });

    const other = voiceHarness({ F1: { chunks: 12 } });
    const none = {
      ...withoutFiles(other.context.messenger),
      upload: () => Promise.reject(new FileUnavailableError(['files.upload.off'])),
    };
    await runTranscriptionTask(task(SHOW), { ...other.context, messenger: none }, other.delivery);
    expect(textOf(other.cards.at(-1)?.card)).toContain('its files could not be posted');
    expect(await other.recordings.find(REF)).toMatchObject({ chunkCount: 12 });
  });

  test('of a long recording has a summary if configured, or a note if it fails', async () => {
    const { context, delivery, cards } = voiceHarness({ F1: { chunks: 12 } });
    const summary = { ...SHOW, summary: true };
    const texts: string[] = [];
    const chat: VoiceContext['chat'] = {
      ...streamsOnly,
      async *stream(prompt) {
        texts.push(JSON.stringify(prompt));
        yield { type: 'end', text: '**Summary**', finish: 'stop', model: 'm' };
      },
    };
    await runTranscriptionTask(task(summary), { ...context, chat }, delivery);
    expect(texts).toEqual([expect.stringContaining('word0 word1')]);
    expect(textOf(cards.at(-1)?.card)).toContain('**Summary**');
    const failed = voiceHarness({ F1: { chunks: 12 } });
    const failingChat: VoiceContext['chat'] = {
      ...streamsOnly,
      stream: () => failing(new AuthError('no', { status: 401 })),
    };
    await runTranscriptionTask(task(summary), { ...failed.context, chat: failingChat }, delivery);
    expect(textOf(failed.cards.at(-1)?.card)).toContain('There is no summary. The model rejected my API key');
  });

  test('requests the summary with the instructions of deployment and workspace, without a persona', async () => {
    const { context, delivery, set } = voiceHarness({ F1: { chunks: 12 } });
    const values = { instructions: 'Rule of the workspace.', persona: 'pirate' };
    set.layers = { workspace: { values } };
    const requests: unknown[] = [];
    const chat: VoiceContext['chat'] = {
      ...streamsOnly,
      async *stream([system]) {
        requests.push(system?.content);
        yield { type: 'end', text: '**Summary**', finish: 'stop', model: 'm' };
      },
    };
    const settings = { ...context.settings, systemPrompt: 'Rule of the deployment.' };
    await runTranscriptionTask(task({ ...SHOW, summary: true }), { ...context, chat, settings }, delivery);
    expect(requests).toEqual(['Rule of the deployment.\n\nRule of the workspace.']);
  });

  test('includes a translation if configured', async () => {
    const { context, delivery, cards, transcriptions, recordings, tasks } = voiceHarness();
    await runTranscriptionTask(task({ kind: 'show', to: 'fr' }), context, delivery);
    expect(transcriptions.map(({ to }) => to)).toEqual(['fr', 'fr', 'fr']);
    expect(textOf(cards.at(-1)?.card)).toContain('> mot0 mot1 mot2');
    // The original transcript is available for questions.
    expect(await recordings.transcriptText(THREAD, task(SHOW).message)).toBe('word0 word1 word2');
    expect((await recordings.listChunks(REF)).map(({ text, translation }) => [text, translation])).toEqual(
      [0, 1, 2].map((n) => [`word${n}`, undefined]),
    );
    await runTranscriptionTask(task(ASKS), context, delivery);
    expect(JSON.stringify(tasks[0]?.body)).toContain('And this?\\n\\nword0 word1 word2');
  });

  test.each([
    ['of the author', {}, 'de-DE', 'Übersetzen'],
    ['of the settings', { channel: { values: { language: 'fr' } } }, 'de-DE', 'Traduire'],
  ])('uses the language %s for labels', async (_, layers, reads, button) => {
    const { context, delivery, cards, set } = voiceHarness();
    Object.assign(set, { layers, reads });
    await runTranscriptionTask(task(SHOW), context, delivery);
    expect(JSON.stringify(cards.at(-1))).toContain(button);
  });

  test('has the retention of the thread', async () => {
    const { context, delivery, dynamo, time, set } = voiceHarness();
    set.layers = { channel: { values: { retentionDays: 2 } } };
    await runTranscriptionTask(task(SHOW), context, delivery);
    const days = dynamo
      .items('conversations')
      .map(({ ttl }) => (Number(ttl?.N) - time.now() / 1000) / 86_400);
    expect(days.map((left) => Math.ceil(left))).toEqual(days.map(() => 2));
  });

  test('has a notice only the first time in a channel', async () => {
    const { context, delivery, cards, set } = voiceHarness({ F1: { chunks: 1 }, F2: { chunks: 1 } });
    set.layers = { channel: { values: { voice: 'automatic' } } };
    const first = { kind: 'show' as const, explainOptOut: true };
    await runTranscriptionTask(task(first), context, delivery);
    expect(textOf(cards.at(-1)?.card)).toContain('/parley voice optout');
    await runTranscriptionTask(task(first, { recordings: [{ ...RECORDING, id: 'F2' }] }), context, delivery);
    expect(textOf(cards.at(-1)?.card)).not.toContain('optout');
  });
});

describe('a recording that cannot be transcribed', () => {
  test.each([
    [
      new FileUnavailableError(['files.refused.gone', { name: 'memo' }]),
      'could not download the recording. “memo” no longer exists.',
    ],
    [new MediaError('empty'), 'The recording is empty'],
    [new MediaError('codec', 'mp4 ac-3'), 'cannot read this audio format (mp4 ac-3)'],
    [new MediaError('mute'), 'This video has no sound'],
  ])('with %s posts what failed and what to do', async (error, sentence) => {
    const { context, delivery, cards, transcriptions } = voiceHarness();
    const media = { decode: () => failing(error) };
    expect(await runTranscriptionTask(task(SHOW), { ...context, media }, delivery)).toEqual({ kind: 'done' });
    expect(textOf(cards.at(-1)?.card)).toContain(sentence);
    expect(transcriptions).toEqual([]);
  });
});

describe('a recorded question', () => {
  test('is queued with its transcript in the order of its thread', async () => {
    const { context, delivery, tasks } = voiceHarness();
    await runTranscriptionTask(task(ASKS), context, delivery);
    expect(tasks).toEqual([
      {
        group: 'slack#T1#C1#1.1',
        body: expect.objectContaining({ kind: 'ask', question: 'And this?\n\nword0 word1 word2' }),
      },
    ]);
  });

  test('that cannot be transcribed is queued with the reason', async () => {
    const { context, delivery, tasks } = voiceHarness();
    const media = { decode: () => failing(new MediaError('empty')) };
    await runTranscriptionTask(task(ASKS), { ...context, media }, delivery);
    const [one] = tasks;
    expect(JSON.stringify(one?.body)).toContain('could not be transcribed: The recording is empty');
  });

  test('with several recordings is queued with all transcripts', async () => {
    const { context, delivery, tasks, cards } = voiceHarness({ F1: { chunks: 1 }, F2: { chunks: 2 } });
    await runTranscriptionTask(
      task(ASKS, { recordings: [RECORDING, { ...RECORDING, id: 'F2' }] }),
      context,
      delivery,
    );
    expect(JSON.stringify(tasks[0]?.body)).toContain('And this?\\n\\nword0\\n\\nword0 word1');
    expect(new Set(cards.map(({ key }) => key)).size).toBe(2);
  });
});

async function* failing(error: unknown): AsyncGenerator<never> {
  yield* [];
  throw error;
}
