import {
  type TranscriptionTask,
  type IncomingMessage,
  type MessageId,
  splitRecordings,
  recordingKey,
  type Thread,
  userId,
} from '../domain/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import { DEFAULT_VALUES, resolve } from '../settings/rules/index.ts';
import type { Recordings, SettingsStore } from '../storage/index.ts';

export type AutoTranscribeContext = {
  /**
   * Notes which recordings are queued, where the platform tells of a deleted message without its content; `recordingsUnnoted` where
   * it tells both.
   */
  readonly recordings: Pick<Recordings, 'begin'>;
  /** The queue of recordings to transcribe. */
  readonly voice: Queue;
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
};

/** Of a platform that tells what a deleted message held. */
export const recordingsUnnoted: Pick<Recordings, 'begin'> = { begin: () => Promise.resolve() };

/**
 * Takes in a message that is not for the bot: if its channel has recordings written out as they come, and its author did
 * not opt out, those go to be heard. What is set is read only for messages with recordings, and kept for 30 s.
 */
export async function autoTranscribe(
  message: IncomingMessage,
  { voice, settingsStore: choices, recordings: noted }: AutoTranscribeContext,
): Promise<'queued' | 'ignored'> {
  const { recordings } = splitRecordings(message);
  if (recordings.length === 0) return 'ignored';
  const { thread, id, author, authorWorkspace } = message;
  const { platform, workspace, channel, root } = thread;
  const layers = await choices.layers({
    platform,
    workspace,
    channel,
    thread: { channel, root },
    user: author,
  });
  const automatic = resolve('voice', layers).value === 'automatic';
  if (!automatic || resolve('voiceOptOut', layers).value === true) return 'ignored';
  const wish = { kind: 'show' as const, first: true, ...transcriptionOptions(layers) };
  const whose = { thread, message: id, asker: author, askerWorkspace: authorWorkspace };
  await enqueueTranscription({ v: 1, kind: 'hear', ...whose, recordings, wish }, 'show', voice, noted);
  return 'queued';
}

type Layers = Parameters<typeof resolve>[1];

/**
 * What is wanted of recordings here besides their words. A second language is that of the place; for whoever reads another,
 * theirs is a button.
 */
export function transcriptionOptions(layers: Layers): { readonly to?: string; readonly summary?: true } {
  const to = resolve('voiceLanguage', { ...layers, person: undefined }).value ?? DEFAULT_VALUES.voiceLanguage;
  return {
    ...(to === 'none' || to === 'auto' ? {} : { to }),
    ...(resolve('voiceSummary', layers).value === true ? { summary: true } : {}),
  };
}

/** Has what was written out of a message go, behind whatever is being heard of it. Safe to repeat. */
export async function enqueueForget(thread: Thread, message: MessageId, voice: Queue): Promise<void> {
  const nobody = { asker: userId('none'), askerWorkspace: thread.workspace };
  const task = { v: 1 as const, kind: 'hear' as const, thread, message, ...nobody, recordings: [] };
  await enqueueTranscription({ ...task, wish: { kind: 'forget' } }, 'forget', voice);
}

/** Queues recordings of one message to be heard. `wish` tells what is wanted of them from anything else. */
export async function enqueueTranscription(
  task: TranscriptionTask,
  wish: string,
  voice: Queue,
  recordings = recordingsUnnoted,
): Promise<void> {
  const { thread, message, asker, askerWorkspace } = task;
  for (const one of task.recordings) {
    await recordings.begin({ thread, message, file: recordingKey(one) }, asker, askerWorkspace);
  }
  const { platform, workspace, channel } = thread;
  const group = `${platform}#${workspace}#${channel}#${task.message}`;
  await voice.send(JSON.stringify(task), group, `hear#${group}#${wish}`);
}
