import type { TranscriptionTask, UserId } from '../domain/index.ts';
import {
  type AccessRefusal,
  DEFAULT_VALUES,
  findAccessRefusal,
  resolve,
  type SettingsLayers,
} from '../settings/rules/index.ts';
import { getTurnSettingsPlace } from '../settings/index.ts';
import type { VoiceContext } from './ports.ts';
import { getRequester } from './transcription/task-fields.ts';

/**
 * Returns why these recordings must not be downloaded or transcribed; undefined if they may be: the requester is not
 * allowed here, transcription is off, the bot is silent, or automatic transcription no longer applies. `layers` are the
 * current settings; the front may have used settings that are up to 30 s old.
 */
export async function findTranscriptionRefusal(
  task: TranscriptionTask,
  layers: SettingsLayers,
  context: Pick<VoiceContext, 'memberRoles' | 'settingsStore'>,
): Promise<AccessRefusal | 'switched-off' | 'silent' | 'unwanted' | 'theirs' | undefined> {
  const { thread, request } = task;
  const user = getRequester(task);
  const policy = resolve('voice', layers).value ?? DEFAULT_VALUES.voice;
  if (policy === 'off') return 'switched-off';
  const isAutomatic = request.kind === 'show' && request.explainOptOut === true;
  if (isAutomatic && (policy !== 'automatic' || resolve('voiceOptOut', layers).value === true))
    return 'unwanted';
  if (request.kind === 'show' && (await isOptedOutByAuthor(task, task.asker, context))) return 'theirs';
  if (request.kind === 'ask' && resolve('mentions', layers).value === 'off') return 'silent';
  return findAccessRefusal({ user, channel: thread.channel }, layers, () =>
    context.memberRoles(thread, user),
  );
}

/** Whether the speaker has opted out of transcription and the requester is another person. */
export async function isOptedOutByAuthor(
  task: TranscriptionTask,
  recordedBy: UserId,
  { settingsStore }: Pick<VoiceContext, 'settingsStore'>,
): Promise<boolean> {
  if (recordedBy === getRequester(task)) return false;
  const authorLayers = await settingsStore.layers(
    getTurnSettingsPlace({ thread: task.thread, asker: recordedBy }),
  );
  return resolve('voiceOptOut', authorLayers).value === true;
}
