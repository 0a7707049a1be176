import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { handleDeadLetter, dispatchTask } from '../../../shared/worker/index.ts';
import { acceptQuestion, handleEvent } from '../../../shared/intake/index.ts';
import { FakeQueue } from '../../fakes/messenger.ts';
import { NEVER_STOPPED } from '../../fakes/recordings.ts';
import { commandHarness } from '../../commands/command-harness.ts';
import { fakePlatform } from '../completion-harness.ts';
import { THREAD } from '../thread-harness.ts';

const recording = { id: 'F1', name: 'one.m4a', mimetype: 'audio/mp4', bytes: 9 };
const untold = { id: 'F2', name: '', mimetype: '', bytes: 0 };

const by = { author: userId('U1'), authorWorkspace: workspaceId('T1') };
const message = { thread: THREAD, id: messageId('1.1'), ...by, text: 'Well?', addressed: 'mention' } as const;
const parsed = ({ sent }: FakeQueue): unknown[] => sent.map(({ body }): unknown => JSON.parse(body));
const delivery = { deadline: 60_000, isRedelivery: false, isLast: false };

const described = async () => ({ ...untold, name: 'two.m4a', mimetype: 'audio/mp4' });

function open() {
  const hearing = new FakeQueue();
  const recordings = {
    ...NEVER_STOPPED,
    find: async () => undefined,
    listChunks: async () => [],
    begin: async () => undefined,
    transcriptText: async () => undefined,
    attributedTranscript: async () => undefined,
    listByMessage: async () => [],
    remove: async () => undefined,
  };
  const at = commandHarness({
    platform: { ...fakePlatform(), resolveFile: described },
    transcription: { queue: hearing, recordings },
  });
  const context = { ...intakeWithin(at.context), queue: at.queue, voice: hearing, recordings };
  return { taskQueue: at.queue, hearing, context, stage: at.stage };
}

// The queue deduplicates.
const differ = ({ sent }: FakeQueue): boolean => new Set(sent.map(({ dedup }) => dedup)).size === sent.length;

test('an attachment that turns out to be a recording is transcribed before its question is answered, also next to other recordings', async () => {
  const { hearing, context } = open();
  await acceptQuestion({ ...message, attachments: [recording, untold] }, context);
  // The task that returns after the first transcript.
  const turn = { thread: THREAD, message: message.id, asker: by.author, askerWorkspace: by.authorWorkspace };
  const ask = { v: 1, kind: 'ask', ...turn, question: 'Well?', attachments: [untold], receivedAt: 1 };
  await dispatchTask(JSON.stringify(ask), context, delivery);
  expect(parsed(hearing)).toMatchObject([
    { recordings: [{ id: 'F1' }], wish: { kind: 'ask', attachments: [{ id: 'F2' }] } },
    { recordings: [{ id: 'F2', name: 'two.m4a' }], wish: { kind: 'ask', attachments: [], again: true } },
  ]);
  expect(differ(hearing)).toBe(true);
});

test.each([undefined, '9.2'])(
  'a question returns with its transcript, also one that was accepted from an edit: %j',
  async (at) => {
    const { hearing, taskQueue, context } = open();
    const edited = { ...message, attachments: [untold] };
    await (at === undefined
      ? acceptQuestion(edited, context)
      : handleEvent({ kind: 'message-edited', message: edited, at }, context));
    await dispatchTask(taskQueue.sent[0]?.body ?? '', context, delivery);
    await handleDeadLetter(hearing.sent[0]?.body ?? '', context);
    const edit = at && `edit-${at}`;
    const back = { kind: 'ask', attachments: [], late: true, ...(edit && { edit }) };
    expect(parsed(taskQueue)).toMatchObject([{ kind: 'ask' }, back]);
    expect(differ(taskQueue)).toBe(true);
  },
);

test('recordings of other bots are not transcribed', async () => {
  const { hearing, taskQueue, context } = open();
  const own = { ...context, allowedBots: new Set(['B1']) };
  await acceptQuestion({ ...message, bot: ['B1'], attachments: [untold] }, own);
  await dispatchTask(taskQueue.sent[0]?.body ?? '', context, delivery);
  expect(hearing.sent).toEqual([]);
  expect((await context.signals.find(THREAD, message.id))?.ended).toBe(true);
});

describe('a recording that came with /ask in Discord, whose front does not transcribe', () => {
  const turn = { thread: THREAD, message: message.id, asker: by.author, askerWorkspace: by.authorWorkspace };
  const choice = { model: 'model-b', locale: 'de' };
  const ask = {
    v: 1,
    kind: 'ask',
    ...turn,
    ...choice,
    question: 'Well?',
    attachments: [recording],
    receivedAt: 1,
  };

  test('is transcribed first; its question returns with the model and the language of the person', async () => {
    const { hearing, taskQueue, context } = open();
    await dispatchTask(JSON.stringify(ask), context, delivery);
    expect(parsed(hearing)).toMatchObject([
      { locale: 'de', recordings: [recording], wish: { kind: 'ask', ...choice, again: true } },
    ]);
    expect(taskQueue.sent).toEqual([]);
    await handleDeadLetter(hearing.sent[0]?.body ?? '', context);
    expect(parsed(taskQueue)).toMatchObject([{ kind: 'ask', ...choice, late: true, attachments: [] }]);
  });

  test.each([
    ['is transcribed once', { ...ask, attachments: [{ ...recording, isTranscribed: true }] }, true],
    ['is not transcribed where no transcript can be posted', ask, false],
  ])('%s: the question is answered', async (_, task, canPost) => {
    const { hearing, context, stage } = open();
    if (!canPost) stage.refuse.canPost = new Error('by interaction tokens only');
    await context.turns.accept(turn, ask.question, task.attachments);
    await dispatchTask(JSON.stringify({ ...task, model: undefined }), context, delivery);
    expect(hearing.sent).toEqual([]);
    expect((await context.signals.find(THREAD, message.id))?.ended).toBe(true);
  });
});
