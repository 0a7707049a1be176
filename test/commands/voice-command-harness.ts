import {
  channelId,
  messageId,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { commandHarness, fakeInteraction } from './command-harness.ts';

/** A recording. */
export const CLIP = { id: 'F1', name: 'audio.m4a', mimetype: 'audio/mp4', bytes: 1_000 };
export const THREAD = {
  platform: 'slack' as const,
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
};
export const ADMIN = { by: { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: true } };

/** Commands with a store for transcripts and a queue for recordings. */
export function voiceCommandHarness() {
  const queue = new FakeQueue();
  const base = commandHarness();
  const { dynamo, time } = base;
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: time.now });
  const whole = commandHarness({
    transcription: { queue, recordings },
    settingsStore: base.context.settingsStore,
  });
  const lastCard = (): string => JSON.stringify(whole.stage.answers.at(-1)?.card);
  const tasks = () => queue.sent.map(({ body }) => parseTranscriptionTask(body));
  const finish = () =>
    recordings.finish(
      { thread: THREAD, message: messageId('1.1'), file: 'F1' },
      { by: userId('U2'), ms: 9_000, chunkCount: 1, card: messageId('1.2'), source: CLIP },
    );
  return { ...whole, lastCard, tasks, finish, recordings, recordingsQueue: queue };
}

/** A control of a card in the thread. */
export const pressed = (name: string, args: string[], chosen: string[] = []) =>
  fakeInteraction({ kind: 'action', action: { name, args }, chosen }, { thread: THREAD });
