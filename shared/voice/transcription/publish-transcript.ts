import type {
  Attachment,
  CardFile,
  CardPart,
  TranscriptionTask,
  MessageId,
  QueueDelivery,
} from '../../domain/index.ts';
import { getTranscriptText, getTranslation } from '../../transcript/index.ts';
import { FileUnavailableError } from '../../platforms/ports/index.ts';
import type { StoredRecording, RecordingRef } from '../../storage/index.ts';
import { type Locale, localize, formatChoice, formatCommand, actionLabel } from '../../i18n/index.ts';
import { describeFailure } from '../../chat/index.ts';
import { VOICE_COMMAND, VOICE_OPT_OUT } from '../command-names.ts';
import { isCutOnCard, type TranscriptCard, createTranscriptCard } from '../cards.ts';
import { isLong, createTranscriptFiles, uploadFiles } from '../files.ts';
import { trackTranscriptMessages } from './forget.ts';
import { STOPPED } from './stop.ts';
import type { WholeRecording } from './transcribe-chunks.ts';
import type { VoiceContext } from '../ports.ts';
import { cardKey, toMessageRecipient, getTargetLanguage } from './task-fields.ts';
import type { ProgressUpdates } from './progress-updates.ts';
import { summarizeRecording } from '../summary.ts';

/**
 * Whether nothing is left to do for a stored recording. For `show` it is posted again if its message was deleted, and
 * continues if it was stopped. Rejects if the platform does not answer.
 */
export const isTranscribed = async (
  { card, partial }: StoredRecording,
  { thread }: RecordingRef,
  request: TranscriptionTask['request'],
  { messenger }: Pick<VoiceContext, 'messenger'>,
): Promise<boolean> =>
  request.kind !== 'show' ||
  (partial !== STOPPED && (await messenger.getPermalink(thread, card)) !== undefined);

export type PublishOptions = {
  readonly task: TranscriptionTask;
  readonly recording: Attachment;
  readonly ref: RecordingRef;
  readonly updates: ProgressUpdates;
  readonly delivery: QueueDelivery;
  readonly locale: Locale;
  /** The note below the transcript if a person stopped it. */
  readonly endNote?: CardPart | undefined;
};

/** Posts the transcript of a recording with its files, and stores the recording as finished. */
export async function publishTranscript(
  { chunks, ms, partial }: Omit<WholeRecording, 'kind'>,
  work: PublishOptions,
  context: VoiceContext,
): Promise<{ readonly text: string }> {
  const { task, recording, ref, locale, endNote } = work;
  const [to, by] = [getTargetLanguage(task), task.asker];
  const text = getTranscriptText(chunks);
  const notes: string[] = [];
  // No paid summary after a stop.
  const summary = endNote ? undefined : await summarizeOrNote(text, ms, work, notes, context);
  const needsFiles = text !== '' && (isLong(ms) || isCutOnCard({ chunks, ms, to, summary }));
  const files = needsFiles ? createTranscriptFiles(chunks, recording.name, locale, to) : [];
  const notice = await firstTimeNotice(work, context);
  if (notice !== undefined) notes.push(notice);
  const content = { ref, by, chunks, ms, partial, endNote, to, summary, notes };
  const { card, fileMessages } = await postWithFiles(files, content, work, context);
  if (!(await trackTranscriptMessages(ref, [card, ...fileMessages], context))) return { text };
  await context.recordings.finish(ref, {
    by,
    ms,
    chunkCount: chunks.length,
    partial,
    card,
    source: recording,
  });
  context.log('voice.transcription-completed', {
    ms,
    pieces: chunks.length,
    partial,
    translated: to !== undefined,
  });
  return { text: to === undefined ? text : `${text}\n(${getTranslation(chunks)})` };
}

/** Posts the card with its files. If files cannot be attached, uploads them separately; if that fails, adds a note. */
async function postWithFiles(
  files: readonly CardFile[],
  content: TranscriptCard,
  { task, recording, updates, locale }: PublishOptions,
  context: VoiceContext,
): Promise<{ readonly card: MessageId; readonly fileMessages: readonly MessageId[] }> {
  try {
    return {
      card: await updates.finish(createTranscriptCard({ ...content, files }, locale)),
      fileMessages: [],
    };
  } catch (error) {
    if (!(error instanceof FileUnavailableError)) throw error;
  }
  const { messages, all } = await uploadFiles(task.thread, files, cardKey(task, recording), context);
  const notes = [...(content.notes ?? []), ...(all ? [] : [localize(locale, 'voice.no-files')])];
  return {
    card: await updates.finish(createTranscriptCard({ ...content, notes }, locale)),
    fileMessages: messages,
  };
}

/** Returns the summary. Rejects for a retryable failure; adds a note for a permanent one. */
async function summarizeOrNote(
  text: string,
  ms: number,
  work: PublishOptions,
  notes: string[],
  context: VoiceContext,
): Promise<string | undefined> {
  try {
    return await summarizeRecording(text, ms, work, context);
  } catch (error) {
    const failure = describeFailure(error, toMessageRecipient(context, work.locale));
    if (!failure || (failure.retryAfterMs !== undefined && !work.delivery.isLast)) throw error;
    notes.push(localize(work.locale, 'voice.no-summary', { why: failure.sentence }));
    return undefined;
  }
}

/** Returns the notice for the first automatic transcript in a channel: what happens, and how to opt out. */
async function firstTimeNotice(
  { task, ref, locale }: PublishOptions,
  context: VoiceContext,
): Promise<string | undefined> {
  if (task.request.kind !== 'show' || task.request.explainOptOut !== true) return undefined;
  const target = { platform: task.thread.platform, locale };
  const optout = formatChoice(actionLabel, 'optout', target, VOICE_OPT_OUT);
  const command = formatCommand(VOICE_COMMAND, target, context.settings, optout);
  return (await context.recordings.isFirstInChannel(ref))
    ? localize(locale, 'voice.first', { command })
    : undefined;
}
