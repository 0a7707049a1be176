import { noRecordingTracking } from '../../shared/voice/auto-transcribe.ts';
import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { describe, expect, test } from '@jest/globals';
import {
  channelId,
  type IncomingMessage,
  messageId,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { handleEvent, acceptQuestion } from '../../shared/intake/index.ts';
import { TurnIntake, TurnSignals, Recordings } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { FakeQueue } from '../fakes/messenger.ts';

const VOICE = { id: 'F1', name: 'audio.m4a', mimetype: 'audio/mp4', bytes: 1_000 };
const TEXT = { id: 'F2', name: 'notes.txt', mimetype: 'text/plain', bytes: 10 };
const MESSAGE: IncomingMessage = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  id: messageId('1.1'),
  author: userId('U1'),
  authorWorkspace: workspaceId('T1'),
  text: '',
  attachments: [TEXT, VOICE],
  addressed: 'none',
};
const AUTOMATIC: SettingsLayers = { channel: { values: { voice: 'automatic' } } };

/** Accepts a message with these settings. */
async function accept(
  layers: SettingsLayers,
  changes: Partial<IncomingMessage> = {},
  recordings = noRecordingTracking,
) {
  const [queue, transcriptionQueue] = [new FakeQueue(), new FakeQueue()];
  let reads = 0;
  const context = {
    ...BARE_INTAKE,
    turns: {
      isParticipating: () => Promise.resolve(false),
      accept: () => Promise.reject(new Error('not a question')),
      dropDeleted: () => Promise.resolve(false),
      markUnsent: () => Promise.resolve(),
    },
    queue,
    transcriptionQueue,
    recordings,
    settingsStore: {
      layers: () => {
        reads += 1;
        return Promise.resolve(layers);
      },
    },
    now: () => 5,
  };
  const outcome = await acceptQuestion({ ...MESSAGE, ...changes }, context);
  const tasks = transcriptionQueue.sent.map(({ body }) => parseTranscriptionTask(body));
  return { outcome, tasks, reads, transcriptionTasks: queue.sent };
}

describe('a recording that is not addressed to the bot', () => {
  test('is transcribed in its thread if the channel transcribes automatically; other files are ignored', async () => {
    const { outcome, tasks, transcriptionTasks } = await accept(AUTOMATIC);
    expect(outcome).toBe('queued');
    expect(tasks).toEqual([
      expect.objectContaining({
        thread: MESSAGE.thread,
        asker: 'U1',
        recordings: [VOICE],
        request: { kind: 'show', explainOptOut: true },
      }),
    ]);
    expect(transcriptionTasks).toEqual([]);
  });

  test.each<[string, SettingsLayers]>([
    ['nothing is set', {}],
    ['transcription is on request', { channel: { values: { voice: 'request' } } }],
    [
      'the channel turns it off and the workspace on',
      { workspace: { values: { voice: 'automatic' } }, channel: { values: { voice: 'off' } } },
    ],
    ['the author opted out', { ...AUTOMATIC, person: { values: { voiceOptOut: true } } }],
  ])('is ignored if %s', async (_, layers) => {
    expect(await accept(layers)).toMatchObject({ outcome: 'ignored', tasks: [] });
  });

  test('is queued with the translation and the summary of the channel settings', async () => {
    const values = {
      voice: 'automatic',
      voiceLanguage: 'fr',
      voiceSummary: true,
    } as const;
    const { tasks } = await accept({ channel: { values } });
    expect(tasks).toEqual([
      expect.objectContaining({
        request: { kind: 'show', explainOptOut: true, to: 'fr', summary: true },
      }),
    ]);
  });

  test('is transcribed in a thread without the bot; messages without recordings read the settings once', async () => {
    expect(await accept(AUTOMATIC, { addressed: 'if-member' })).toMatchObject({ outcome: 'queued' });
    const words = await accept(AUTOMATIC, { addressed: 'if-member', attachments: [TEXT] });
    expect(words).toMatchObject({ outcome: 'ignored', reads: 1 });
  });
});

test('a recording is tracked before it is queued, so that a deletion without content finds it', async () => {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => 1_000_000 };
  const [signals, { thread, id }] = [new TurnSignals(store), MESSAGE];
  expect(await signals.hasRecordings(thread, id)).toBe(false);
  await accept(AUTOMATIC, {}, new Recordings(store));
  expect(await signals.hasRecordings(thread, id)).toBe(true);
  const context = {
    ...BARE_INTAKE,
    turns: new TurnIntake(store),
    signals,
    queue: new FakeQueue(),
    showMessage: EMPTY_QUEUE,
    transcriptionQueue: new FakeQueue(),
    now: store.now,
  };
  await handleEvent({ kind: 'message-deleted', thread, message: id }, context);
  expect(await new Recordings(store).isDeleted({ thread, message: id })).toBe(true);
});

/** The tasks on the recordings queue after a deletion. */
async function forgetTasks(spoken: boolean | undefined, written: boolean) {
  const dynamo = createMemoryDynamo();
  const store = { dynamo, table: 'conversations', days: 30, now: () => 1_000_000 };
  const { thread, id: message, author } = MESSAGE;
  if (written) await new Recordings(store).begin({ thread, message, file: 'F1' }, author, thread.workspace);
  const [queue, transcriptionQueue] = [new FakeQueue(), new FakeQueue()];
  const turns = new TurnIntake(store);
  const signals = new TurnSignals(store);
  const context = {
    ...BARE_INTAKE,
    turns,
    signals,
    queue,
    transcriptionQueue,
    showMessage: EMPTY_QUEUE,
    now: store.now,
  };
  await handleEvent({ kind: 'message-deleted', thread, message, hasRecordings: spoken }, context);
  return transcriptionQueue.sent.map(({ body, group }) => ({
    request: parseTranscriptionTask(body)?.request,
    group,
  }));
}
describe('a deleted message', () => {
  const FORGET = [{ request: { kind: 'forget' }, group: 'slack#T1#C1#1.1' }];

  test('with recordings queues the removal of its transcripts, after the transcription', async () => {
    expect(await forgetTasks(true, false)).toEqual(FORGET);
    expect(await forgetTasks(undefined, true)).toEqual(FORGET);
  });

  test('without recordings queues nothing', async () => {
    expect(await forgetTasks(false, true)).toEqual([]);
    expect(await forgetTasks(undefined, false)).toEqual([]);
  });
});
