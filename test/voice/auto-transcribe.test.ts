import { recordingsUnnoted } from '../../shared/voice/auto-transcribe.ts';
import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { NO_MESSAGES } from '../fakes/queue.ts';
import { describe, expect, test } from '@jest/globals';
import {
  channelId,
  type IncomingMessage,
  messageId,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { handleEvent, acceptQuestion } from '../../shared/worker/index.ts';
import { TurnIntake, TurnSignals, Recordings } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { KeptQueue } from '../fakes/stage.ts';

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
  addressed: 'overheard',
};
const AUTOMATIC: SettingsLayers = { channel: { values: { voice: 'automatic' } } };

/** Takes a message in where this is set. */
async function taken(
  layers: SettingsLayers,
  changes: Partial<IncomingMessage> = {},
  recordings = recordingsUnnoted,
) {
  const [queue, voice] = [new KeptQueue(), new KeptQueue()];
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
    voice,
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
  const tasks = voice.sent.map(({ body }) => parseTranscriptionTask(body));
  return { outcome, tasks, reads, asked: queue.sent };
}

describe('a recording that is not for the bot', () => {
  test('is written out where its channel wants that: in its thread, the recordings alone', async () => {
    const { outcome, tasks, asked } = await taken(AUTOMATIC);
    expect(outcome).toBe('queued');
    expect(tasks).toEqual([
      expect.objectContaining({
        thread: MESSAGE.thread,
        asker: 'U1',
        recordings: [VOICE],
        wish: { kind: 'show', first: true },
      }),
    ]);
    expect(asked).toEqual([]);
  });

  test.each<[string, SettingsLayers]>([
    ['nothing is set', {}],
    ['it is written out on request', { channel: { values: { voice: 'request' } } }],
    [
      'it is switched off, whatever the workspace has',
      { workspace: { values: { voice: 'automatic' } }, channel: { values: { voice: 'off' } } },
    ],
    ['its author opted out', { ...AUTOMATIC, person: { values: { voiceOptOut: true } } }],
  ])('is left alone where %s', async (_, layers) => {
    expect(await taken(layers)).toMatchObject({ outcome: 'ignored', tasks: [] });
  });

  test('goes with the second language and the summary that the channel wants', async () => {
    const values = {
      voice: 'automatic',
      voiceLanguage: 'fr',
      voiceSummary: true,
    } as const;
    const { tasks } = await taken({ channel: { values } });
    expect(tasks).toEqual([
      expect.objectContaining({
        wish: { kind: 'show', first: true, to: 'fr', summary: true },
      }),
    ]);
  });

  test('in a thread that the bot is not in, the same; others are passed over after one look at what is set', async () => {
    expect(await taken(AUTOMATIC, { addressed: 'if-member' })).toMatchObject({ outcome: 'queued' });
    const words = await taken(AUTOMATIC, { addressed: 'if-member', attachments: [TEXT] });
    expect(words).toMatchObject({ outcome: 'ignored', reads: 1 });
  });
});

test('where a deletion does not tell what is gone, it is noted before it is queued, and found by it', async () => {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => 1_000_000 };
  const [signals, { thread, id }] = [new TurnSignals(store), MESSAGE];
  expect(await signals.hasRecordings(thread, id)).toBe(false);
  await taken(AUTOMATIC, {}, new Recordings(store));
  expect(await signals.hasRecordings(thread, id)).toBe(true);
  const context = {
    ...BARE_INTAKE,
    turns: new TurnIntake(store),
    signals,
    queue: new KeptQueue(),
    showMessage: NO_MESSAGES,
    voice: new KeptQueue(),
    now: store.now,
  };
  await handleEvent({ kind: 'deleted', thread, message: id }, context);
  expect(await new Recordings(store).isDeleted({ thread, message: id })).toBe(true);
});

/** What goes to the queue of recordings, where this was written out before. */
async function forgotten(spoken: boolean | undefined, written: boolean) {
  const dynamo = createMemoryDynamo();
  const store = { dynamo, table: 'conversations', days: 30, now: () => 1_000_000 };
  const { thread, id: message, author } = MESSAGE;
  if (written) await new Recordings(store).begin({ thread, message, file: 'F1' }, author, thread.workspace);
  const [queue, voice] = [new KeptQueue(), new KeptQueue()];
  const turns = new TurnIntake(store);
  const signals = new TurnSignals(store);
  const context = { ...BARE_INTAKE, turns, signals, queue, voice, showMessage: NO_MESSAGES, now: store.now };
  await handleEvent({ kind: 'deleted', thread, message, spoken }, context);
  return voice.sent.map(({ body, group }) => ({ wish: parseTranscriptionTask(body)?.wish, group }));
}
describe('a message that was deleted', () => {
  const FORGET = [{ wish: { kind: 'forget' }, group: 'slack#T1#C1#1.1' }];

  test('with recordings has what was written out of them go, behind whatever is heard of them', async () => {
    expect(await forgotten(true, false)).toEqual(FORGET);
    expect(await forgotten(undefined, true)).toEqual(FORGET);
  });

  test('without is no work for anybody', async () => {
    expect(await forgotten(false, true)).toEqual([]);
    expect(await forgotten(undefined, false)).toEqual([]);
  });
});
