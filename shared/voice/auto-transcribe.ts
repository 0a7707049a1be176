import {
  type TranscriptionTask,
  type IncomingMessage,
  type MessageId,
  splitRecordings,
  recordingKey,
  serializeTask,
  type Thread,
  userId,
} from '../domain/index.ts';
import type { Queue } from '../aws/index.ts';
import { DEFAULT_VALUES, resolve } from '../settings/rules/index.ts';
import type { Recordings, SettingsStore } from '../storage/index.ts';

export type AutoTranscribeContext = {
  /**
   * Records which recordings are queued. Needed where the platform reports a deleted message without its content;
   * otherwise `noRecordingTracking`.
   */
  readonly recordings: Pick<Recordings, 'begin'>;
  readonly transcriptionQueue: Queue;
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
};

/** For a platform whose deletion events contain the content of the message. */
export const noRecordingTracking: Pick<Recordings, 'begin'> = { begin: () => Promise.resolve() };

/**
 * Queues the recordings of a message that is not addressed to the bot if the channel transcribes automatically and the
 * author has not opted out. Reads the settings only for messages with recordings; they are cached for 30 s.
 */
export async function autoTranscribe(
  message: IncomingMessage,
  { transcriptionQueue, settingsStore, recordings: recordingStore }: AutoTranscribeContext,
): Promise<'queued' | 'ignored'> {
  const { recordings } = splitRecordings(message);
  if (recordings.length === 0) return 'ignored';
  const { thread, id, author, authorWorkspace } = message;
  const { platform, workspace, channel, root } = thread;
  const layers = await settingsStore.layers({
    platform,
    workspace,
    channel,
    thread: { channel, root },
    user: author,
  });
  const isAutomatic = resolve('voice', layers).value === 'automatic';
  if (!isAutomatic || resolve('voiceOptOut', layers).value === true) return 'ignored';
  const request = { kind: 'show' as const, explainOptOut: true, ...getTranscriptionOptions(layers) };
  const messageFields = { thread, message: id, asker: author, askerWorkspace: authorWorkspace };
  const task = { v: 1 as const, kind: 'hear' as const, ...messageFields, recordings, request };
  await enqueueTranscription(task, 'show', transcriptionQueue, recordingStore);
  return 'queued';
}

type Layers = Parameters<typeof resolve>[1];

/**
 * Returns the configured extras of a transcript: translation and summary. The language is that of the channel or
 * workspace; readers of another language use the Translate button.
 */
export function getTranscriptionOptions(layers: Layers): { readonly to?: string; readonly summary?: true } {
  const to = resolve('voiceLanguage', { ...layers, person: undefined }).value ?? DEFAULT_VALUES.voiceLanguage;
  return {
    ...(to === 'none' || to === 'auto' ? {} : { to }),
    ...(resolve('voiceSummary', layers).value === true ? { summary: true } : {}),
  };
}

/** Queues the removal of a message's transcripts, after any transcription in progress. Idempotent. */
export async function enqueueForget(
  thread: Thread,
  message: MessageId,
  transcriptionQueue: Queue,
): Promise<void> {
  const noAuthor = { asker: userId('none'), askerWorkspace: thread.workspace };
  const task = { v: 1 as const, kind: 'hear' as const, thread, message, ...noAuthor, recordings: [] };
  await enqueueTranscription({ ...task, request: { kind: 'forget' } }, 'forget', transcriptionQueue);
}

/** Queues the recordings of one message. `key` deduplicates the same request for this message. */
export async function enqueueTranscription(
  task: TranscriptionTask,
  key: string,
  transcriptionQueue: Queue,
  recordings = noRecordingTracking,
): Promise<void> {
  const { thread, message, asker, askerWorkspace } = task;
  for (const recording of task.recordings) {
    await recordings.begin({ thread, message, file: recordingKey(recording) }, asker, askerWorkspace);
  }
  const { platform, workspace, channel } = thread;
  const group = `${platform}#${workspace}#${channel}#${task.message}`;
  await transcriptionQueue.send(serializeTask(task), group, `hear#${group}#${key}`);
}
