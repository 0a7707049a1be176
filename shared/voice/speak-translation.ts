import {
  type TranscriptionTask,
  type MessageId,
  recordingKey,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import { formatPosition } from '../transcript/index.ts';
import type { AudioChunk } from '../media/index.ts';
import { toLocale, localize, getLanguageName } from '../i18n/index.ts';
import { enqueueTranscription } from './auto-transcribe.ts';
import type { SpeechProgress, SpeechRequest } from '../storage/index.ts';
import { createTranslatedCard } from './cards.ts';
import { trackTranscriptMessages } from './transcription/forget.ts';
import { transcribeChunks, type WholeRecording } from './transcription/transcribe-chunks.ts';
import type { VoiceContext } from './ports.ts';
import { toPermitRequest, MAX_BYTES, toTurnRef, getRequester } from './transcription/task-fields.ts';
import { replyToRequester, type TranslationRequest } from './reply-to-requester.ts';

/** Chunks per uploaded file: four to six minutes of speech. */
const MAX_CHUNKS_PER_FILE = 12;
/** Time before the deadline that is reserved for encoding and uploading the speech. */
const UPLOAD_RESERVE_MS = 90_000;

type SpokenChunk = { readonly chunk: AudioChunk; readonly wavs: readonly Uint8Array[] };
type SpeechWork = {
  /** The chunks of this task: from `from` to before `until`. */
  readonly from: number;
  readonly until: number;
  /** How much of the recording is spoken, in ms; undefined for all. */
  readonly maxMs: number | undefined;
  /** The progress before this task. */
  readonly progress: SpeechProgress;
  readonly task: TranscriptionTask;
  readonly request: TranslationRequest;
  readonly context: VoiceContext;
  readonly delivery: QueueDelivery;
};

/**
 * Speaks a translation in the thread: one file and one task for every few minutes. Audio is not stored, so it is uploaded
 * as soon as the work ends for any reason: a rate limit or the deadline continues after it, and a crash loses at most one
 * file. The progress is stored before and after each upload, so that a delivery after a crash continues behind the last
 * file even if its upload was not recorded. If the translation is already spoken, replies with a link. `maxMs`: how much of
 * the recording is spoken. Rejects as `transcribeChunks` does.
 */
export async function speakTranslation(
  task: TranscriptionTask,
  request: TranslationRequest,
  maxMs: number | undefined,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const from = request.nextChunk ?? 0;
  const progress = await confirmUpload(task, request, context);
  if (progress.next > from) return enqueueRest(progress, task, request, context);
  // A retried upload contains the same chunks, and so has the same key.
  const until = progress.uploading?.until ?? from + MAX_CHUNKS_PER_FILE;
  const work = { from, until, maxMs, progress, task, request, context, delivery };
  const link = from === 0 ? await findSpeechLink(work) : undefined;
  if (link !== undefined) {
    const locale = toLocale(task.locale);
    const markdown = localize(locale, 'voice.spoken-already', { link });
    return replyToRequester(request, { parts: [{ kind: 'text', markdown }] }, locale, context);
  }
  const chunks = new Map<number, SpokenChunk>();
  const result = await requestSpeech(chunks, work).catch((error: unknown) => ({
    kind: 'failed' as const,
    error,
  }));
  const ready = takeWithoutGap(chunks, from);
  const isWhole = result.kind === 'whole';
  const done = ready.length > 0 ? await uploadSpeech(ready, isWhole && from === 0, work) : progress;
  if (isWhole) return replyWithTranslation(result, done.spokenAt, work);
  // Otherwise the next task meets the failure again and reports it.
  if (ready.length === 0 && result.kind === 'failed') throw result.error;
  if (ready.length === 0) return { kind: 'later', afterMs: 1_000 };
  return enqueueRest(done, task, request, context);
}

/**
 * Returns the progress. If an upload was started but not recorded, searches the thread for it: if it is there, it counts;
 * otherwise its chunks are spoken again.
 */
async function confirmUpload(
  task: TranscriptionTask,
  request: TranslationRequest,
  context: VoiceContext,
): Promise<SpeechProgress> {
  const ref = toRecordingRef(task);
  const initial: SpeechProgress = { next: request.nextChunk ?? 0, spokenAt: request.speechMessage };
  const stored = await context.recordings.findSpeechProgress(ref, toSpeechRequest(request));
  const progress = stored && stored.next >= initial.next ? stored : initial;
  const { uploading } = progress;
  if (!uploading) return progress;
  const [upload] = await context.messenger.findUploads(task.thread, uploading.key);
  return upload === undefined
    ? progress
    : recordUpload(upload, uploading.until, progress, { task, request, context });
}

/** Queues a task for the remaining chunks. Idempotent. */
async function enqueueRest(
  { next, spokenAt }: SpeechProgress,
  task: TranscriptionTask,
  request: TranslationRequest,
  context: VoiceContext,
): Promise<TaskResult> {
  const remaining = { ...request, nextChunk: next, speechMessage: spokenAt };
  const rest: TranscriptionTask = { ...task, doneChunks: next, request: remaining };
  await enqueueTranscription(rest, `spoken#${request.interaction.id}#${next}`, context.recordingsQueue);
  return { kind: 'done' };
}

const toSpeechRequest = ({ to, interaction }: TranslationRequest): SpeechRequest => ({
  to,
  interactionId: interaction.id,
});

async function requestSpeech(chunks: Map<number, SpokenChunk>, work: SpeechWork) {
  const { from, until, maxMs, task, request, context, delivery } = work;
  const [recording] = task.recordings;
  if (!recording) throw new Error('the task has no recording');
  return transcribeChunks(
    {
      ref: toRecordingRef(task),
      bytes: await context.platform.downloadFile(toTurnRef(task), recording, MAX_BYTES),
      to: request.to,
      speak: {
        from,
        until,
        onSpoken: (chunk, wavs) => void chunks.set(chunk.n, { chunk, wavs }),
      },
      delivery: { ...delivery, deadline: delivery.deadline - UPLOAD_RESERVE_MS },
      permitRequest: toPermitRequest(task),
      payer: getRequester(task),
      maxMs,
    },
    context,
  );
}

const toRecordingRef = ({ thread, message, recordings: [recording] }: TranscriptionTask) => ({
  thread,
  message,
  file: recording ? recordingKey(recording) : '',
});

/** Returns the contiguous chunks from `from` on. */
function takeWithoutGap(speechChunks: ReadonlyMap<number, SpokenChunk>, from: number): SpokenChunk[] {
  const chunks: SpokenChunk[] = [];
  for (let next = speechChunks.get(from); next; next = speechChunks.get(from + chunks.length))
    chunks.push(next);
  return chunks;
}

/** Returns the link to the spoken translation; undefined if there is none, it was deleted, or it has another part of the recording. */
async function findSpeechLink({ task, request, maxMs, context }: SpeechWork): Promise<string | undefined> {
  const translation = await context.recordings.findSpoken(toRecordingRef(task), request.to);
  if (translation === undefined || (translation.maxMs !== undefined && translation.maxMs !== maxMs))
    return undefined;
  return context.messenger.getPermalink(task.thread, translation.message);
}

/** Uploads the speech of some chunks to the thread. Idempotent. Returns the new progress. */
async function uploadSpeech(
  ready: readonly SpokenChunk[],
  isWhole: boolean,
  work: SpeechWork,
): Promise<SpeechProgress> {
  const { progress, from, task, request, context } = work;
  const ref = toRecordingRef(task);
  const until = from + ready.length;
  const wavs = ready.flatMap((chunk) => chunk.wavs);
  const [first, last] = [ready.at(0)?.chunk, ready.at(-1)?.chunk];
  // These chunks contain no speech.
  if (!first || !last || wavs.length === 0) return recordUpload(undefined, until, progress, work);
  const locale = toLocale(task.locale);
  const language = getLanguageName(locale, request.to);
  const part = { language, from: formatPosition(first.fromMs), until: formatPosition(last.toMs) };
  const caption = isWhole
    ? localize(locale, 'voice.spoken', { language })
    : localize(locale, 'voice.spoken-part', part);
  const range = `${request.interaction.id}#${first.n}#${last.n}`;
  const file = await context.createVoiceFile(wavs, task.thread.platform, caption);
  const key = `voice#${ref.message}#${ref.file}#${request.to}#${range}`;
  await context.recordings.saveSpeechProgress(ref, toSpeechRequest(request), {
    ...progress,
    uploading: { until, key, name: file.name },
  });
  return recordUpload(await context.messenger.upload(task.thread, file, key), until, progress, work);
}

/** Records that all chunks before `until` are spoken; `message` is the message with the last file, if there was speech. */
async function recordUpload(
  message: MessageId | undefined,
  until: number,
  before: SpeechProgress,
  { task, request, context }: Pick<SpeechWork, 'task' | 'request' | 'context'>,
): Promise<SpeechProgress> {
  const ref = toRecordingRef(task);
  const isTracked = message !== undefined && (await trackTranscriptMessages(ref, [message], context));
  const progress = { next: until, spokenAt: before.spokenAt ?? (isTracked ? message : undefined) };
  await context.recordings.saveSpeechProgress(ref, toSpeechRequest(request), progress);
  return progress;
}

/** Replies with the translation: the reply replaces the card with the button. */
async function replyWithTranslation(
  { chunks }: WholeRecording,
  message: MessageId | undefined,
  { task, request, maxMs, context }: SpeechWork,
): Promise<TaskResult> {
  const ref = toRecordingRef(task);
  const locale = toLocale(task.locale);
  const result = await replyToRequester(
    request,
    createTranslatedCard(chunks, request.to, ref, locale),
    locale,
    context,
  );
  if (message !== undefined) await context.recordings.saveSpoken(ref, request.to, { message, maxMs });
  return result;
}
