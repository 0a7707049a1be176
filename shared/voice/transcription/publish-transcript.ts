import type { Attachment, CardFile, CardPart, TranscriptionTask, MessageId } from '../../domain/index.ts';
import { FileUnavailableError } from '../../platforms/ports/platform.ts';
import type { StoredRecording, RecordingRef } from '../../storage/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import type { QueueDelivery } from '../../context/ports.ts';
import { describeFailure } from '../../chat/display/error-messages.ts';
import { formatChoice, formatCommand } from '../../i18n/labels/format-usage.ts';
import { VOICE_COMMAND, VOICE_OPT_OUT } from '../command-names.ts';
import * as names from '../../i18n/labels/option-labels.ts';
import { type TranscriptCard, transcriptCard } from '../cards.ts';
import { isLong, transcriptFiles, uploadFiles } from '../files.ts';
import { keepShown } from './forget.ts';
import type { WholeRecording } from './transcribe-pieces.ts';
import type { VoiceContext } from '../ports.ts';
import { cardKey, clockOf, toOf } from './task-fields.ts';
import type { ProgressUpdates } from './progress-updates.ts';
import { summaryOf } from '../summary.ts';
import { getTranscriptText, getTranslation } from '../../transcript/transcript-text.ts';

/** Whether the words of a recording still stand in their thread: where their message is gone, it is written once more. */
export const isPublished = (
  { card }: StoredRecording,
  { thread }: RecordingRef,
  { messenger: stage }: VoiceContext,
): Promise<boolean> =>
  stage.getPermalink(thread, card).then(
    () => true,
    () => false,
  );

export type PublishOptions = {
  readonly task: TranscriptionTask;
  readonly recording: Attachment;
  readonly ref: RecordingRef;
  readonly shown: ProgressUpdates;
  readonly delivery: QueueDelivery;
  readonly locale: Locale;
  /** Said of its end, where a person stopped it. */
  readonly ended?: CardPart | undefined;
};

/** Shows a recording that was heard, its files with it, and keeps what is known of the whole. */
export async function publishTranscript(
  { pieces, ms, partial }: Omit<WholeRecording, 'kind'>,
  work: PublishOptions,
  context: VoiceContext,
): Promise<{ readonly text: string }> {
  const { task, recording, ref, locale, ended } = work;
  const [to, by] = [toOf(task), task.asker];
  const text = getTranscriptText(pieces);
  const notes: string[] = [];
  // Whoever stops it wants no more of it.
  const summary = ended ? undefined : await summed(text, ms, work, notes, context);
  const files = isLong(ms) && text !== '' ? transcriptFiles(pieces, recording.name, locale) : [];
  const hint = await firstHint(work, context);
  if (hint !== undefined) notes.push(hint);
  const written = { ref, by, pieces, ms, partial, ended, to, summary, notes };
  const { card, beside } = await showWith(files, written, work, context);
  if (!(await keepShown(ref, [card, ...beside], context))) return { text };
  await context.recordings.finish(ref, { by, ms, pieces: pieces.length, partial, card, source: recording });
  context.log('voice.transcription-completed', {
    ms,
    pieces: pieces.length,
    partial,
    translated: to !== undefined,
  });
  return { text: to === undefined ? text : `${text}\n(${getTranslation(pieces)})` };
}

/** Shows the card with its files; where those cannot stand on it, they are put beside it, and where not even that, it says so. */
async function showWith(
  files: readonly CardFile[],
  written: TranscriptCard,
  { task, recording, shown, locale }: PublishOptions,
  context: VoiceContext,
): Promise<{ readonly card: MessageId; readonly beside: readonly MessageId[] }> {
  try {
    return { card: await shown.last(transcriptCard({ ...written, files }, locale)), beside: [] };
  } catch (error) {
    if (!(error instanceof FileUnavailableError)) throw error;
  }
  const { messages, all } = await uploadFiles(task.thread, files, cardKey(task, recording), context);
  const notes = [...(written.notes ?? []), ...(all ? [] : [localize(locale, 'voice.no-files')])];
  return { card: await shown.last(transcriptCard({ ...written, notes }, locale)), beside: messages };
}

/** A summary that cannot be had now is waited for; one that cannot be had at all is noted. */
async function summed(
  text: string,
  ms: number,
  work: PublishOptions,
  notes: string[],
  context: VoiceContext,
): Promise<string | undefined> {
  try {
    return await summaryOf(text, ms, work, context);
  } catch (error) {
    const failure = describeFailure(error, clockOf(context, work.locale));
    if (!failure || (failure.retryAfterMs !== undefined && !work.delivery.isLast)) throw error;
    notes.push(localize(work.locale, 'voice.no-summary', { why: failure.sentence }));
    return undefined;
  }
}

/** The first time in a channel it is said what happens here, and how to stop it. */
async function firstHint(
  { task, ref, locale }: PublishOptions,
  context: VoiceContext,
): Promise<string | undefined> {
  if (task.wish.kind !== 'show' || task.wish.first !== true) return undefined;
  const where = { platform: task.thread.platform, locale };
  const optout = formatChoice(names.action, 'optout', where, VOICE_OPT_OUT);
  const command = formatCommand(VOICE_COMMAND, where, context.settings, optout);
  return (await context.recordings.isFirstInChannel(ref))
    ? localize(locale, 'voice.first', { command })
    : undefined;
}
