import { streamsOnly } from '../../fakes/streams-only.ts';
import { describe, expect, test } from '@jest/globals';
import type { Card, Interaction } from '../../../shared/domain/index.ts';
import {
  parseTranscriptionTask,
  channelId,
  messageId,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { formatPosition } from '../../../shared/transcript/index.ts';
import { RateLimitedError } from '../../../shared/upstream/index.ts';
import { FakeQueue } from '../../fakes/messenger.ts';
import { fakeInteraction, commandHarness as callRig } from '../../commands/command-harness.ts';
import { INTERACTION, RECORDING, voiceHarness, task, textOf, THREAD } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };
const REF = { thread: THREAD, message: task(SHOW).message, file: 'F1' };
const ADA = userId('U1');
const GRACE = userId('U2');

/** The controls of a card, by their labels. */
const controlsOf = (card: Card | undefined) =>
  new Map(
    (card?.parts ?? []).flatMap((part) =>
      part.kind === 'controls' ? part.controls.map((control) => [control.label, control] as const) : [],
    ),
  );

/** The arguments of the Stop button on a card; empty if there is none. */
function stopOn(card: Card | undefined): readonly string[] {
  const control = controlsOf(card).get('Stop');
  return control?.kind === 'button' && control.action.name === 'voice.stop' ? control.action.args : [];
}

/** Transcribes twelve chunks of 20 s; Stop is clicked while the chunk `at` is transcribed. */
async function stoppedAt(at: number, request: Parameters<typeof task>[0] = SHOW) {
  const harness = voiceHarness({ F1: { chunks: 12, length: { ms: 240_000, estimated: false } } });
  harness.hooks.beforeTranscribe = async (n) => {
    if (n === at) await harness.recordings.stop(REF, ADA);
  };
  const result = await runTranscriptionTask(task(request), harness.context, harness.delivery);
  return { ...harness, result };
}

describe('the Stop button of a transcription', () => {
  test('is there from the first card on, also during a retry delay', async () => {
    const { context, delivery, cards } = voiceHarness();
    const full = new RateLimitedError('no', {
      status: 429,
      code: 'rate_limit_exceeded',
      retryAfterMs: 7_000,
    });
    await runTranscriptionTask(
      task(SHOW, { by: GRACE }),
      { ...context, transcriptionClient: { transcribe: () => Promise.reject(full) } },
      delivery,
    );
    expect(cards.map(({ card }) => stopOn(card))).toEqual(cards.map(() => ['1.1', 'F1', 'U2']));
    expect(cards.length).toBeGreaterThan(1);
    await runTranscriptionTask(task(SHOW), context, delivery);
    expect(stopOn(cards.at(-1)?.card)).toEqual([]);
  });

  test('ends the transcription and publishes the text so far with the position', async () => {
    const { result, transcriptions, cards, recordings, fetched } = await stoppedAt(3);
    expect(result).toEqual({ kind: 'done' });
    // Requests in progress are paid for and finish.
    expect(transcriptions.length).toBeGreaterThanOrEqual(4);
    expect(transcriptions.length).toBeLessThanOrEqual(6);
    const card = cards.at(-1)?.card;
    const until = formatPosition(transcriptions.length * 20_000);
    expect(textOf(card)).toContain(`word${transcriptions.length - 1}`);
    expect(textOf(card)).toContain(`Stopped at ${until} of 4:00`);
    expect(textOf(card)).toContain('<@U1>');
    expect([...controlsOf(card).keys()]).toEqual(['Translate', 'Ask about it', 'Subtitles']);
    expect(await recordings.find(REF)).toMatchObject({
      partial: 'stopped',
      chunkCount: transcriptions.length,
    });
    expect(fetched).toHaveLength(1);
  });

  test('says so and stores nothing if nothing was transcribed', async () => {
    const { context, delivery, cards, transcriptions, recordings } = voiceHarness();
    await recordings.begin(REF, ADA, REF.thread.workspace);
    await recordings.stop(REF, ADA);
    expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
    expect(transcriptions).toEqual([]);
    expect(textOf(cards.at(-1)?.card)).toContain('Stopped before anything was transcribed');
    expect(await recordings.find(REF)).toBeUndefined();
  });

  test('ends the wait for a permit', async () => {
    const { context, delivery, cards, time, recordings } = voiceHarness();
    const speechPermits: VoiceContext['speechPermits'] = {
      ...context.speechPermits,
      // The longest wait inside a task; longer waits use the queue.
      take: async () => ({ kind: 'refused', retryAfterMs: 5_000 }),
    };
    const done = runTranscriptionTask(task(SHOW), { ...context, speechPermits }, delivery);
    while (time.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    await recordings.stop(REF, ADA);
    time.advance(5_000);
    expect(await done).toEqual({ kind: 'done' });
    expect(textOf(cards.at(-1)?.card)).toContain('Stopped before anything was transcribed');
    expect(time.pending).toBe(0);
  });

  test('of a question queues it with the partial transcript; without one, nothing is queued', async () => {
    const ask = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
    const { tasks } = await stoppedAt(3, ask);
    expect(JSON.stringify(tasks)).toContain('word3');
    const { context, delivery, recordings, tasks: none } = voiceHarness();
    await recordings.begin(REF, ADA, REF.thread.workspace);
    await recordings.stop(REF, ADA);
    await runTranscriptionTask(task({ ...ask, question: '' }), context, delivery);
    expect(none).toEqual([]);
  });

  test('of one of two recordings queues the question with the transcript of the other', async () => {
    const ask = { kind: 'ask' as const, question: '', attachments: [], receivedAt: 5 };
    const { context, delivery, recordings, tasks } = voiceHarness({ F1: { chunks: 2 }, F2: { chunks: 2 } });
    await recordings.begin(REF, ADA, REF.thread.workspace);
    await recordings.stop(REF, ADA);
    const both = [RECORDING, { ...RECORDING, id: 'F2' }];
    await runTranscriptionTask({ ...task(ask), recordings: both }, context, delivery);
    expect(JSON.stringify(tasks)).toContain('word1');
    // Nothing goes on.
    expect(JSON.stringify(tasks)).toContain('Somebody stopped the transcription.');
    expect(JSON.stringify(tasks)).not.toContain('Stopping');
  });

  test('requests no paid summary', async () => {
    const harness = voiceHarness({ F1: { chunks: 12, length: { ms: 240_000, estimated: false } } });
    harness.hooks.beforeTranscribe = async (n) => {
      if (n === 3) await harness.recordings.stop(REF, ADA);
    };
    const chat: VoiceContext['chat'] = {
      ...streamsOnly,
      stream: () => {
        throw new Error('a summary is asked for');
      },
    };
    await runTranscriptionTask(
      task({ ...SHOW, summary: true }),
      { ...harness.context, chat },
      harness.delivery,
    );
    const text = textOf(harness.cards.at(-1)?.card);
    expect(text).toContain('Stopped at');
    expect(text).not.toContain('no summary');
  });

  test('that cannot be stored rejects, so that the click is delivered again', async () => {
    const { recordings } = voiceHarness();
    await recordings.begin(REF, ADA, REF.thread.workspace);
    const { call, stage } = caller(recordings);
    recordings.stop = () => Promise.reject(new Error('the table is away'));
    await expect(call(pressed('voice.stop'))).rejects.toThrow('the table is away');
    expect(stage.cards.size).toBe(0);
  });

  test('is cancelled by a new request, which transcribes no chunk twice', async () => {
    const { context, delivery, transcriptions, cards, hooks, recordings } = await stoppedAt(3);
    delete hooks.beforeTranscribe;
    const { call, tasks, stage } = caller(recordings);
    stage.cards.clear();
    await call(transcribe());
    const [again] = tasks();
    expect(again).toMatchObject({ request: SHOW });
    await runTranscriptionTask(task(SHOW), context, delivery);
    expect(transcriptions.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual([...Array(12).keys()]);
    expect(textOf(cards.at(-1)?.card)).toContain('word11');
    expect(textOf(cards.at(-1)?.card)).not.toContain('Stopped');
    expect(await recordings.find(REF)).toMatchObject({ chunkCount: 12, partial: undefined });
  });

  test.each([false, true])(
    'limits a later translation to the transcribed part (spoken: %s)',
    async (speak) => {
      const { context, delivery, transcriptions, responses, uploads } = await stoppedAt(3);
      const before = transcriptions.splice(0).length;
      await runTranscriptionTask(task(french('I1', speak)), context, delivery);
      expect(transcriptions.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual([...Array(before).keys()]);
      expect(textOf(responses.at(-1))).toContain(`mot${before - 1}`);
      expect(uploads.map(({ content }) => content.length)).toEqual(speak ? [before] : []);
    },
  );

  test('limits later speech until the transcription continues; what is spoken is not spoken again', async () => {
    const { context, delivery, hooks, recordings, responses, uploads } = await stoppedAt(3);
    delete hooks.beforeTranscribe;
    await runTranscriptionTask(task(french('I1', true)), context, delivery);
    await runTranscriptionTask(task(french('I2', true)), context, delivery);
    expect(uploads).toHaveLength(1);
    expect(textOf(responses.at(-1))).toContain('This is already spoken: ');
    await recordings.resume(REF);
    await runTranscriptionTask(task(SHOW), context, delivery);
    await runTranscriptionTask(task(french('I3', true)), context, delivery);
    expect(uploads.at(-1)).toMatchObject({ words: 'Spoken in French' });
    expect(uploads.at(-1)?.content).toHaveLength(12);
    expect(textOf(responses.at(-1))).toContain('mot11');
    await runTranscriptionTask(task(french('I4', true)), context, delivery);
    expect(textOf(responses.at(-1))).toContain('This is already spoken: ');
  });

  test('before anything is transcribed also ends the speech that was to follow', async () => {
    const { context, delivery, recordings, transcriptions, responses, uploads } = voiceHarness();
    await recordings.begin(REF, ADA, REF.thread.workspace);
    await recordings.stop(REF, ADA);
    await runTranscriptionTask(task(SHOW), context, delivery);
    await runTranscriptionTask(task(french('I1', true)), context, delivery);
    expect([transcriptions, uploads]).toEqual([[], []]);
    expect(responses.map(textOf)).toEqual(['Somebody stopped the transcription.']);
  });
});

const french = (id: string, speak: boolean) => ({
  kind: 'translate' as const,
  to: 'fr',
  speak,
  interaction: { ...INTERACTION, id },
});

/** A click on the card of the recording. */
function pressed(name: string, by = ADA, admin = false): Interaction {
  const action = { name, args: ['1.1', 'F1', String(GRACE)] };
  return fakeInteraction(
    { kind: 'action', action, chosen: [], card: messageId('9.1') },
    {
      id: `press-${by}-${admin}`,
      thread: THREAD,
      by: { user: by, workspace: workspaceId('T1'), roles: [], admin, locale: 'en' },
    },
  );
}

const transcribe = (): Interaction =>
  fakeInteraction({
    kind: 'on-message',
    name: 'transcribe',
    message: { thread: THREAD, id: messageId('1.1'), author: ADA, text: '', attachments: [RECORDING] },
  });

/** The interaction handler with the same recordings. */
function caller(recordings: ReturnType<typeof voiceHarness>['recordings']) {
  const queue = new FakeQueue();
  const whole = callRig({ transcription: { queue, recordings } });
  return {
    ...whole,
    tasks: () => queue.sent.map(({ body }) => parseTranscriptionTask(body)),
    cardText: () => JSON.stringify(whole.stage.answers.at(-1)?.card ?? ''),
  };
}

describe('permission to stop', () => {
  test('the requester, the speaker and admins may; the card changes at once', async () => {
    for (const [by, admin] of [
      [GRACE, false],
      [ADA, false],
      [userId('U9'), true],
    ] as const) {
      const { recordings } = voiceHarness();
      await recordings.begin(REF, ADA, REF.thread.workspace);
      const { call, stage, cardText } = caller(recordings);
      await call(pressed('voice.stop', by, admin));
      expect(await recordings.readSignal(REF)).toMatchObject({ stoppedBy: by });
      expect(textOf(stage.cards.get('voice#1.1#F1'))).toContain('Stopping');
      expect(stopOn(stage.cards.get('voice#1.1#F1'))).toEqual([]);
      expect(cardText()).toBe('""');
    }
  });

  test('other people may not; finished and erased recordings cannot be stopped', async () => {
    const { recordings } = voiceHarness();
    await recordings.begin(REF, ADA, REF.thread.workspace);
    const { call, cardText } = caller(recordings);
    await call(pressed('voice.stop', userId('U9')));
    expect(cardText()).toMatch(
      /"tone":"bad".*Only the person who asked for this|Only the person who asked for this.*"tone":"bad"/u,
    );
    expect(await recordings.readSignal(REF)).toMatchObject({ stoppedBy: undefined });
    await recordings.finish(REF, {
      by: ADA,
      ms: 9_000,
      chunkCount: 1,
      card: messageId('9.1'),
      source: RECORDING,
    });
    await call(pressed('voice.stop', GRACE));
    expect(cardText()).toContain('already transcribed');
    await recordings.remove(REF);
    await call(pressed('voice.stop', ADA));
    expect(cardText()).toContain('was deleted');
    expect(channelId('C1')).toBe(THREAD.channel);
  });
});
