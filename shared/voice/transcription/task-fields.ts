import type { Locale } from '../../i18n/index.ts';
import type { MessageRecipient } from '../../chat/display/error-messages.ts';
import type { PermitRequest } from '../../context/ports.ts';
import { permitHolder } from '../../chat/model/wait-for-permit.ts';
import type { RecordingRef } from '../../storage/index.ts';
import type { VoiceContext } from '../ports.ts';
import {
  type Attachment,
  type TranscriptionTask,
  recordingKey,
  threadKey,
  type TurnRef,
  type UserId,
} from '../../domain/index.ts';

/** What is fetched of one recording: ten minutes of Slack's video clips, hours of any sound. */
export const MAX_BYTES = 100 * 1024 * 1024;

/** The message with the recordings, as a turn of its thread. */
export const turnOf = ({ thread, message, asker, askerWorkspace }: TranscriptionTask): TurnRef => ({
  thread,
  message,
  asker,
  askerWorkspace,
});

/** Names the card of a recording: posted again, it is found. */
export const cardKey = ({ message }: TranscriptionTask, { id }: Pick<Attachment, 'id'>): string =>
  keyOfCard({ message, file: recordingKey({ id }) });
export const keyOfCard = ({ message, file }: Pick<RecordingRef, 'message' | 'file'>): string =>
  `voice#${message}#${file}`;

/** The other language in which the words are wanted. */
export const toOf = ({ wish }: TranscriptionTask): string | undefined =>
  wish.kind === 'show' || wish.kind === 'translate' ? wish.to : undefined;

/** Who wants these recordings heard: by whose leave it is done, and on whose account. */
export const wanting = ({ by, asker }: TranscriptionTask): UserId => by ?? asker;

/** A question is waited for by a person; what is written out by itself comes behind. */
export function asksFor(task: TranscriptionTask): Omit<PermitRequest, 'maxWaitMs'> {
  const { thread, wish } = task;
  const whose = permitHolder(thread, wanting(task));
  return wish.kind === 'show' ? { ...whose, priority: 'transcript' } : whose;
}

/** Under which name the next request for a recording waits, in whichever function. */
export const waitIdOf = (ref: RecordingRef, to: string | undefined): string =>
  [threadKey(ref.thread), ref.message, ref.file, to ?? ''].join('#');

/** By which, and in which language, people are told how long something takes. */
export const clockOf = (
  { time, settings }: Pick<VoiceContext, 'time' | 'settings'>,
  locale: Locale,
): MessageRecipient => ({ now: time.now(), zone: settings.zone, locale });
