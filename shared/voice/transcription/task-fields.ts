import type { Locale } from '../../i18n/index.ts';
import { type MessageRecipient, toHolder } from '../../chat/index.ts';
import type { PermitRequest, RecordingRef } from '../../storage/index.ts';
import type { VoiceContext } from '../ports.ts';
import {
  type Attachment,
  type TranscriptionTask,
  recordingKey,
  threadKey,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';

/** Largest download of one recording: ten minutes of Slack video clips, hours of audio. */
export const MAX_BYTES = 100 * 1024 * 1024;

/** Returns the message with the recordings as a turn of its thread. */
export const toTurnRef = ({ thread, message, asker, askerWorkspace }: TranscriptionTask): TurnRef => ({
  thread,
  message,
  asker,
  askerWorkspace,
});

/** The deduplication key of a recording's card. */
export const cardKey = ({ message }: TranscriptionTask, { id }: Pick<Attachment, 'id'>): string =>
  recordingCardKey({ message, file: recordingKey({ id }) });
export const recordingCardKey = ({ message, file }: Pick<RecordingRef, 'message' | 'file'>): string =>
  `voice#${message}#${file}`;

/** Returns the language of the requested translation; undefined for none. */
export const getTargetLanguage = ({ request }: TranscriptionTask): string | undefined =>
  request.kind === 'show' || request.kind === 'translate' ? request.to : undefined;

/** Returns the person whose permission and budget apply. */
export const getRequester = ({ by, asker }: TranscriptionTask): UserId => by ?? asker;

/** Returns the permit request. A person waits for a question, so plain transcripts have lower priority. */
export function toPermitRequest(task: TranscriptionTask): Omit<PermitRequest, 'maxWaitMs'> {
  const { thread, request } = task;
  const holder = toHolder(thread, getRequester(task));
  return request.kind === 'show' ? { ...holder, priority: 'transcript' } : holder;
}

/** The wait queue id of the next request for a recording, the same in every function. */
export const permitWaitId = (ref: RecordingRef, to: string | undefined): string =>
  [threadKey(ref.thread), ref.message, ref.file, to ?? ''].join('#');

/** Returns the clock, time zone and locale for texts with times. */
export const toMessageRecipient = (
  { time, settings }: Pick<VoiceContext, 'time' | 'settings'>,
  locale: Locale,
): MessageRecipient => ({ now: time.now(), zone: settings.zone, locale });
