import { describe, expect, test } from '@jest/globals';
import { runTranscriptionTask } from '../../../shared/worker/index.ts';
import { handleTranscriptionDeadLetter } from '../../../shared/voice/transcription/handle-dead-letter.ts';
import { MediaError } from '../../../shared/media/index.ts';
import { messageId, type MessageId } from '../../../shared/domain/index.ts';
import { ErasureMoments, TurnSignals } from '../../../shared/storage/index.ts';
import { INVOCATION, rig, task, textOf, THREAD, withoutFiles } from '../rig.ts';

const SHOW = { kind: 'show' as const };
const FORGET = task({ kind: 'forget' }, { recordings: [] });
const REF = { thread: THREAD, message: FORGET.message, file: 'F1' };

test('with the message goes what was written out of it: the card, the files, and all that is kept', async () => {
  const { context, delivery, removed, cards, dynamo } = rig({ F1: { pieces: 12 } });
  // Where its files could not stand on the card.
  const stage = withoutFiles(context.messenger);
  await runTranscriptionTask(task(SHOW), { ...context, messenger: stage }, delivery);
  await runTranscriptionTask(FORGET, context, delivery);
  expect(removed).toEqual([cards.at(-1)?.at, '8.1', '8.2', '8.3']);
  expect(dynamo.items('conversations')).toEqual([]);
  await runTranscriptionTask(FORGET, context, delivery);
  expect(removed).toHaveLength(4);
});

test('what failed goes too, and what cannot be taken down is forgotten all the same', async () => {
  const { context, delivery, dynamo, cards, removed } = rig();
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
  const stage = { ...context.messenger, removeCard: () => Promise.reject(new Error('no')) };
  await runTranscriptionTask(FORGET, { ...context, messenger: stage }, delivery);
  expect(dynamo.items('conversations')).toEqual([]);
});

test('what is forgotten while it is heard is not shown when it is done', async () => {
  const { context, delivery, removed, hooks, recordings, dynamo, cards } = rig();
  hooks.beforeHear = async (n) => {
    if (n === 1) await recordings.remove(REF);
  };
  await runTranscriptionTask(task(SHOW), context, delivery);
  expect(removed).toEqual([cards.at(-1)?.at]);
  expect(dynamo.items('conversations')).toEqual([]);
});

test.each([
  [
    'its speaker',
    (at: MessageId) => ({
      platform: THREAD.platform,
      workspace: THREAD.workspace,
      user: task(SHOW, { message: at }).asker,
    }),
  ],
  ['its thread', () => ({ thread: THREAD })],
  ['its workspace', () => ({ platform: THREAD.platform, workspace: THREAD.workspace })],
])(
  'a recording that waits in the queue while %s is forgotten is not heard, and not kept',
  async (_, subject) => {
    const world = rig();
    const { context, delivery, dynamo, cards, heard, fetched, asked, time } = world;
    const moments = new ErasureMoments({ dynamo, table: 'conversations' });
    const message = messageId((time.now() / 1_000 - 60).toFixed(6));
    await moments.record(subject(message), time.now());
    const before = dynamo.items('conversations');
    for (const wish of [SHOW, { kind: 'ask' as const, question: 'And?', attachments: [], receivedAt: 0 }])
      expect(await runTranscriptionTask(task(wish, { message }), context, delivery)).toEqual({
        kind: 'done',
      });
    expect([cards, heard, fetched, asked]).toEqual([[], [], [], []]);
    expect(dynamo.items('conversations')).toEqual(before);
    // What is said from then on is heard.
    await runTranscriptionTask(
      task(SHOW, { message: messageId((time.now() / 1_000 + 60).toFixed(6)) }),
      context,
      delivery,
    );
    expect(heard).toHaveLength(3);
  },
);

test('a workspace that has come back may have its older recordings heard; what it asked for before is not done', async () => {
  const { context, delivery, dynamo, heard, time } = rig();
  const { platform, workspace } = THREAD;
  const removedAt = time.now() - 30_000;
  const moments = new ErasureMoments({ dynamo, table: 'conversations' });
  await moments.record({ platform, workspace }, removedAt);
  const message = messageId((time.now() / 1_000 - 60).toFixed(6));
  await runTranscriptionTask(task(SHOW, { message, at: removedAt }), context, delivery);
  expect(heard).toEqual([]);
  await runTranscriptionTask(task(SHOW, { message, at: removedAt + 1 }), context, delivery);
  expect(heard).toHaveLength(3);
});

const gone = ({ dynamo, time }: ReturnType<typeof rig>): Promise<void> =>
  new TurnSignals({ dynamo, table: 'conversations', days: 30, now: time.now }).rememberDeletion(
    THREAD,
    FORGET.message,
  );

describe('a message that is deleted', () => {
  test('while its recording waits has nothing of it fetched, heard, shown or asked', async () => {
    const world = rig();
    await gone(world);
    const { context, delivery, fetched, heard, cards, asked } = world;
    const ask = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
    for (const wish of [SHOW, ask]) {
      expect(await runTranscriptionTask(task(wish), context, delivery)).toEqual({ kind: 'done' });
    }
    expect([fetched, heard, cards, asked]).toEqual([[], [], [], []]);
  });

  test('while it is heard has no more of it sent, and its card taken down', async () => {
    const world = rig({ F1: { pieces: 12 } });
    const { context, delivery, heard, hooks, cards, removed, recordings } = world;
    hooks.beforeHear = async (n) => {
      if (n === 2) await gone(world);
    };
    expect(await runTranscriptionTask(task(SHOW), context, delivery)).toEqual({ kind: 'done' });
    // What was on its way with the one that was sent when it was deleted.
    expect(heard.length).toBeLessThanOrEqual(5);
    await runTranscriptionTask(FORGET, context, delivery);
    expect(removed).toEqual([cards.at(-1)?.at]);
    expect(await recordings.listByMessage(THREAD, FORGET.message)).toEqual([]);
  });
});

test('what the queue gave up is forgotten all the same, or stays where it comes from', async () => {
  const { context, delivery, removed, cards, recordings } = rig();
  await runTranscriptionTask(task(SHOW), context, delivery);
  const broken = {
    listByMessage: () => Promise.reject(new Error('the table is gone')),
    remove: () => Promise.resolve(),
  };
  await expect(handleTranscriptionDeadLetter(FORGET, { ...context, recordings: broken })).rejects.toThrow(
    'the table is gone',
  );
  expect(await handleTranscriptionDeadLetter(FORGET, context)).toEqual({ kind: 'done' });
  expect(removed).toEqual([cards.at(-1)?.at]);
  expect(await recordings.find(REF)).toBeUndefined();
});

test('whoever waits for a translation that the queue gave up is told', async () => {
  const { context, responses } = rig();
  await handleTranscriptionDeadLetter(
    task({ kind: 'translate', to: 'fr', speak: false, invocation: INVOCATION }),
    context,
  );
  expect(responses.map(textOf)).toEqual([expect.stringContaining('again')]);
});

test('of a recording that the queue gave up, the card that showed how far it was says so', async () => {
  const { context, delivery, hooks, cards, recordings } = rig();
  hooks.beforeHear = () => {
    throw new Error('broken');
  };
  await expect(runTranscriptionTask(task(SHOW), context, delivery)).rejects.toThrow('broken');
  const [shown] = cards;
  const existing: unknown[] = [];
  const stage = {
    ...context.messenger,
    postCard: async (...[, card, , at]: Parameters<typeof context.messenger.postCard>) => {
      existing.push([textOf(card), at]);
      return at ?? REF.message;
    },
  };
  await handleTranscriptionDeadLetter(task(SHOW), { ...context, messenger: stage, recordings });
  expect(existing).toEqual([[expect.stringContaining('could not write this out'), shown?.at]]);
});
