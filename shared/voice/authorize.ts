import type { TranscriptionTask, UserId } from '../domain/index.ts';
import {
  DEFAULT_VALUES,
  type SettingsLayers,
  type PermissionRefusal,
  resolve,
} from '../settings/rules/index.ts';
import { findRefusal } from '../settings/authorize.ts';
import { settingsPlaceOfTurn } from '../settings/load-settings.ts';
import type { VoiceContext } from './ports.ts';
import { wanting } from './transcription/task-fields.ts';

/**
 * Why nothing of these recordings is fetched, heard or sent: whoever wants it may not use the bot here, it is switched off,
 * the bot is silent, or what was to be written out by itself is not to be any more. `layers`: what is set now; a front goes by
 * what was set up to half a minute ago.
 */
export async function transcriptionRefusal(
  task: TranscriptionTask,
  layers: SettingsLayers,
  context: Pick<VoiceContext, 'memberRoles' | 'settingsStore'>,
): Promise<PermissionRefusal | 'switched-off' | 'silent' | 'unwanted' | 'theirs' | undefined> {
  const { thread, wish } = task;
  const user = wanting(task);
  const policy = resolve('voice', layers).value ?? DEFAULT_VALUES.voice;
  if (policy === 'off') return 'switched-off';
  const byItself = wish.kind === 'show' && wish.first === true;
  if (byItself && (policy !== 'automatic' || resolve('voiceOptOut', layers).value === true))
    return 'unwanted';
  if (wish.kind === 'show' && (await isOwnRecording(task, task.asker, context))) return 'theirs';
  if (wish.kind === 'ask' && resolve('mentions', layers).value === 'off') return 'silent';
  return findRefusal(thread, user, layers, context);
}

/** Whether whoever recorded this has opted out by now, and it is somebody else who wants it sent to the models. */
export async function isOwnRecording(
  task: TranscriptionTask,
  recordedBy: UserId | undefined,
  { settingsStore: choices }: Pick<VoiceContext, 'settingsStore'>,
): Promise<boolean> {
  if (recordedBy === undefined || recordedBy === wanting(task)) return false;
  const theirs = await choices.layers(settingsPlaceOfTurn({ thread: task.thread, asker: recordedBy }));
  return resolve('voiceOptOut', theirs).value === true;
}
