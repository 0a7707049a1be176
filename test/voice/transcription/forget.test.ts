import { describe, expect, test } from '@jest/globals';
import { NO_RECORDINGS } from '../../fakes/recordings.ts';
import { runTranscriptionTask } from '../../../shared/voice/index.ts';
import { handleTranscriptionDeadLetter } from '../../../shared/voice/transcription/handle-dead-letter.ts';
import { MediaError } from '../../../shared/media/index.ts';
import { messageId, type MessageId } from '../../../shared/domain/index.ts';
import { ErasureMoments, TurnSignals } from '../../../shared/storage/index.ts';
import { INTERACTION, voiceHarness, task, textOf, THREAD, withoutFiles } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };
const FORGET = task({ kind: 'forget' }, { recordings: [] });
const REF = { thread: THREAD, message: FORGET.message, file: 'F1' };

test('deleting a message removes its transcript card, files and stored items', async () => {
  const { context, delivery, removed, cards, dynamo } = voiceHarness({ F1: { chunks: 12 } });
  // The files are in messages of their own.
  const messenger = withoutFiles(context.messenger);
  await runTranscriptionTask(task(SHOW), { ...context, messenger }, delivery);
  await runTranscriptionTask(FORGET, context, delivery);
  expect(removed).toEqual([cards.at(-1)?.at, '8.1', '8.2', '8.3']);
  expect(dynamo.items('conversations')).toEqual([]);
  await runTranscriptionTask(FORGET, context, delivery);
  expect(removed).toHaveLength(4);
});

test('failed transcripts are removed too, and stored items are deleted even if a card cannot be', async () => {
  const { context, delivery, dynamo, cards, removed } = voiceHarness();
  const media = {
    async *decode() {
      yield* [];
      throw new MediaError('empty');
    },
  };
  await runTranscriptionTask(task(SHOW), { ...context, media }, delivery);
  await runTranscriptionTask(FORGET, context, delivery);
  expect(removed).toEqual([cards.at(-1)?.at]);

  await runTranscriptionTask(task(SHOW), context, delivery);
  const messenger = { ...context.messenger, removeCard: () => Promise.reject(new Error('no')) };
  await runTranscriptionTask(FORGET, { ...context, messenger }, delivery);
  expect(dynamo.items('conversations')).toEqual([]);
});

test('a recording that is erased during its transcription is not published', async () => {
  const { context, delivery, removed, hooks, recordings, dynamo, cards } = voiceHarness();
  hooks.beforeTranscribe = async (n) => {
    if (n === 1) await recordings.remove(REF);
  };
  await runTranscriptionTask(task(SHOW), context, delivery);
  expect(removed).toEqual([cards.at(-1)?.at]);
  expect(dynamo.items('conversations')).toEqual([]);
});

test.each([
  [
    'the data of its speaker',
    (at: MessageId) => ({
      platform: THREAD.platform,
      workspace: THREAD.workspace,
      user: task(SHOW, { message: at }).asker,
    }),
  ],
  ['the data of its thread', () => ({ thread: THREAD })],
  ['the data of its workspace', () => ({ platform: THREAD.platform, workspace: THREAD.workspace })],
])('a queued recording is not transcribed or stored if %s is erased meanwhile', async (_, subject) => {
  const harness = voiceHarness();
  const { context, delivery, dynamo, cards, transcriptions, fetched, tasks, time } = harness;
  const moments = new ErasureMoments({ dynamo, table: 'conversations' });
  const message = messageId((time.now() / 1_000 - 60).toFixed(6));
  await moments.record(subject(message), time.now());
  const before = dynamo.items('conversations');
  for (const request of [SHOW, { kind: 'ask' as const, question: 'And?', attachments: [], receivedAt: 0 }])
    expect(await runTranscriptionTask(task(request, { message }), context, delivery)).toEqual({
      kind: 'done',
    });
  expect([cards, transcriptions, fetched, tasks]).toEqual([[], [], [], []]);
  expect(dynamo.items('conversations')).toEqual(before);
  // Later recordings are transcribed.
  await runTranscriptionTask(
    task(SHOW, { message: messageId((time.now() / 1_000 + 60).toFixed(6)) }),
    context,
    delivery,
  );
  expect(transcriptions).toHaveLength(3);
});

test('a reinstalled workspace can transcribe older recordings; requests from before the removal are dropped', async () => {
  const { context, delivery, dynamo, transcriptions, time } = voiceHarness();
  const { platform, workspace } = THREAD;
  const removedAt = time.now() - 30_000;
  const moments = new ErasureMoments({ dynamo, table: 'conversations' });
  await moments.record({ platform, workspace }, removedAt);
  const message = messageId((time.now() / 1_000 - 60).toFixed(6));
  await runTranscriptionTask(task(SHOW, { message, requestedAt: removedAt }), context, delivery);
  expect(transcriptions).toEqual([]);
  await runTranscriptionTask(task(SHOW, { message, requestedAt: removedAt + 1 }), context, delivery);
  expect(transcriptions).toHaveLength(3);
});

const signalDeletion = ({ dynamo, time }: ReturnType<typeof voiceHarness>): Promise<void> =>
  new TurnSignals({ dynamo, table: 'conversations', days: 30, now: time.now }).rememberDeletion(
    THREAD,
    FORGET.message,
  );

describe('a deleted message', () => {
  test('is not processed if it was deleted in the queue', async () => {
    const harness = voiceHarness();
    await signalDeletion(harness);
    const { context, delivery, fetched, transcriptions, cards, tasks } = harness;
    const ask = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
    for (const request of [SHOW, ask]) {
      expect(await runTranscriptionTask(task(request), context, delivery)).toEqual({ kind: 'done' });
    }
    expect([fetched, transcriptions, cards, tasks]).toEqual([[], [], [], []]);
  });

  test('ends its transcription in progress and removes its card', async () => {
    const harness = voiceHarness({ F1: { chunks: 12 } });
    const { context, delivery, transcriptions, hooks, cards, removed, recordings } = harness;
    hooks.beforeTranscribe = async (n) => {
      if (n === 2) await signalDeletion(harness);
    };
    expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
    // The requests in progress at the deletion.
    expect(transcriptions.length).toBeLessThanOrEqual(5);
    await runTranscriptionTask(FORGET, context, delivery);
    expect(removed).toEqual([cards.at(-1)?.at]);
    expect(await recordings.listByMessage(THREAD, FORGET.message)).toEqual([]);
  });
});

test('a dead letter of a removal is executed, or rejects to be retried', async () => {
  const { context, delivery, removed, cards, recordings } = voiceHarness();
  await runTranscriptionTask(task(SHOW), context, delivery);
  const broken = {
    ...NO_RECORDINGS,
    listByMessage: () => Promise.reject(new Error('the table is gone')),
  };
  await expect(handleTranscriptionDeadLetter(FORGET, { ...context, recordings: broken })).rejects.toThrow(
    'the table is gone',
  );
  expect(await handleTranscriptionDeadLetter(FORGET, context)).toEqual({ kind: 'done' });
  expect(removed).toEqual([cards.at(-1)?.at]);
  expect(await recordings.find(REF)).toBeUndefined();
});

test('a dead letter of a translation tells the requester', async () => {
  const { context, responses } = voiceHarness();
  await handleTranscriptionDeadLetter(
    task({ kind: 'translate', to: 'fr', speak: false, interaction: INTERACTION }),
    context,
  );
  expect(responses.map(textOf)).toEqual([expect.stringContaining('again')]);
});

test('a dead letter of a transcription replaces the progress card', async () => {
  const { context, delivery, hooks, cards, recordings } = voiceHarness();
  hooks.beforeTranscribe = () => {
    throw new Error('broken');
  };
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('broken');
  const [lastCard] = cards;
  const existing: unknown[] = [];
  const messenger = {
    ...context.messenger,
    postCard: async (...[, card, , at]: Parameters<typeof context.messenger.postCard>) => {
      existing.push([textOf(card), at]);
      return at ?? REF.message;
    },
  };
  await handleTranscriptionDeadLetter(task(SHOW), { ...context, messenger, recordings });
  expect(existing).toEqual([[expect.stringContaining('could not transcribe this'), lastCard?.at]]);
});
