import { describe, expect, test } from '@jest/globals';
import { messageId, parseTranscriptionTask, userId } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { HistoryUnavailableError } from '../../shared/platforms/ports/index.ts';
import { createVoiceTools } from '../../shared/voice/tools.ts';
import { ErasureMoments, Recordings } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import { TestTime } from '../upstream/time.ts';
import { FakeQueue, FakeMessenger } from '../fakes/messenger.ts';
import { fakePlatform, TURN } from '../chat/completion-harness.ts';

const CLIP = { id: 'F1', name: 'clip.m4a', mimetype: 'audio/mp4', bytes: 1_000 };
const IN_THREAD = { ...TURN, message: messageId('2.2') };

/** The tool in a thread with one message of U2 for each list of files. */
function harness(...files: (readonly (typeof CLIP)[])[]) {
  const queue = new FakeQueue();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => 1_000 };
  const { thread } = TURN;
  const messages = files.map((attachments, i) => ({
    thread,
    id: i === 0 ? thread.root : messageId(`1.${i + 5}`),
    author: userId('U2'),
    text: '',
    attachments: [...attachments],
  }));
  const context = {
    transcription: { queue, recordings: new Recordings(store) },
    settings: DEFAULTS,
    settingsStore: settingsStoresIn(store).settingsStore,
    messenger: new FakeMessenger(),
    erasureMoments: new ErasureMoments(store),
    time: new TestTime(),
    platform: { ...fakePlatform(), findRecordings: () => () => Promise.resolve(messages) },
  };
  const run = (args: Readonly<Record<string, unknown>>) =>
    createVoiceTools(IN_THREAD, false, context)[0]?.prepare(args, 'en').run(new AbortController().signal);
  return { context, queue, run };
}

const away = () => Promise.reject(new Error('Slack is away'));

describe('the transcribe tool', () => {
  test('queues the transcription for the asker, with the translation that the model requested', async () => {
    const { queue, run } = harness([CLIP]);
    expect((await run({ translate_to: 'de', recording: 'what Ada said' }))?.content).toContain(
      'being written out',
    );
    expect(parseTranscriptionTask(queue.sent[0]?.body ?? '')).toMatchObject({
      message: TURN.thread.root,
      asker: 'U2',
      by: 'U1',
      requestedAt: new TestTime().now(),
      recordings: [{ id: 'F1' }],
      request: { kind: 'show', to: 'de' },
    });
  });

  test('gives the model the text of a recording that is already transcribed, also when it asks for a translation', async () => {
    const { context, queue, run } = harness([CLIP]);
    const { recordings } = context.transcription;
    const ref = { thread: TURN.thread, message: TURN.thread.root, file: 'F1' };
    await recordings.begin(ref, userId('U2'), TURN.thread.workspace);
    await recordings.saveChunk(ref, { n: 0, fromMs: 0, toMs: 9_000, text: 'We ship on Friday.', words: [] });
    const whole = { by: userId('U2'), ms: 9_000, chunkCount: 1, card: messageId('1.2'), source: CLIP };
    await recordings.finish(ref, whole);
    expect((await run({ translate_to: 'fr' }))?.content).toBe('It says: We ship on Friday.');
    expect(queue.sent).toEqual([]);
  });

  test('is missing if the thread began with a question, or if no recording can be unknown', () => {
    const { context } = harness([CLIP]);
    expect(createVoiceTools(IN_THREAD, true, context)).toEqual([]);
    const none = { ...context, platform: { ...context.platform, findRecordings: () => undefined } };
    expect(createVoiceTools(IN_THREAD, false, none)).toEqual([]);
    // There the bot does not receive messages without a mention, so there may be unknown recordings.
    const layers = { workspace: { values: { mentions: 'only' as const } } };
    const settings = { ...DEFAULTS, layers };
    expect(createVoiceTools(IN_THREAD, true, { ...context, settings })).toHaveLength(1);
    // A Discord thread starts at the question; the message that it is about is outside.
    const thread = { ...TURN.thread, platform: 'discord' as const };
    expect(createVoiceTools({ ...IN_THREAD, thread }, true, context)).toHaveLength(1);
  });

  test('finds a recording by its name or number; an ambiguous name lists the choices', async () => {
    const memo = { ...CLIP, id: 'F2', name: 'memo.m4a' };
    const { queue, run } = harness([CLIP], [memo, { ...CLIP, id: 'F3' }]);
    const list = '1. “clip.m4a” of <@U2>; 2. “memo.m4a” of <@U2>; 3. “clip.m4a” of <@U2>';
    await expect(run({})).rejects.toThrow(`Say which one, by its number. There are, oldest first: ${list}`);
    await expect(run({ recording: 'clip.m4a' })).rejects.toThrow('by its number');
    await expect(run({ recording: 'song.mp3' })).rejects.toThrow('no such recording');
    await run({ recording: 'memo.m4a' });
    await run({ recording: 3, translate_to: 'de' });
    const tasks = queue.sent.map(({ body }) => parseTranscriptionTask(body));
    expect(tasks).toMatchObject([
      { message: '1.6', recordings: [{ id: 'F2' }] },
      { message: '1.6', recordings: [{ id: 'F3' }], request: { to: 'de' } },
    ]);
    expect(tasks.map((one) => one?.recordings.length)).toEqual([1, 1]);
    expect(new Set(queue.sent.map(({ dedup }) => dedup)).size).toBe(2);
  });

  test('fails if the thread cannot be read', async () => {
    const { context } = harness([CLIP]);
    const [tool] = createVoiceTools(IN_THREAD, false, {
      ...context,
      platform: { ...context.platform, findRecordings: () => away },
    });
    const result = tool?.prepare({}, 'en').run(new AbortController().signal);
    await expect(result).rejects.toThrow('cannot be looked through');
  });

  test('tells the model and the asker when the thread can be read again', async () => {
    const { context } = harness([CLIP]);
    const failure = new HistoryUnavailableError('slowed', { retryAfterMs: 42_000 });
    const recorded = () => () => Promise.reject(failure);
    const [tool] = createVoiceTools(IN_THREAD, false, {
      ...context,
      platform: { ...context.platform, findRecordings: recorded },
    });
    const result = tool?.prepare({}, 'en').run(new AbortController().signal);
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining('42 s'),
      userMessage: 'Slack lets me read here again in about 42 s. Ask again then.',
    });
  });

  test('reports a missing recording and an unknown language to the model', async () => {
    const { queue, run } = harness([{ ...CLIP, name: 'a.txt', mimetype: 'text/plain' }]);
    await expect(run({})).rejects.toThrow('no recording');
    expect(() => run({ translate_to: 'Klingon' })).toThrow('has to be one of');
    expect(queue.sent).toEqual([]);
  });
});
