import {
  type Attachment,
  type TranscriptionTask,
  recordingKey,
  type UserId,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { QueuedRequestError } from '../../rate-limits/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import type { RecordingDuration } from '../../media/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import {
  getTurnSettingsPlace,
  combineInstructions,
  withMasking,
  resolveLocale,
} from '../../settings/index.ts';
import { failureDetails, failureFacts, MAX_IN_WORKER_WAIT_MS, returnToQueue } from '../../chat/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import {
  askWithTranscript,
  listRecordingsForModel,
  type TranscribedAttachment,
  handleRefusal,
  skipDeleted,
} from '../ask-with-transcript.ts';
import { createFailedCard, describeTranscriptionFailure } from '../cards.ts';
import { publishTranscript, type PublishOptions, isTranscribed } from './publish-transcript.ts';
import { forgetMessage, isErased, trackTranscriptMessages, MessageDeletedError } from './forget.ts';
import {
  transcribeChunks,
  MAX_RECORDING_MS,
  type WholeRecording,
  takeUntilGap,
} from './transcribe-chunks.ts';
import { requeueLater, canWait, getRetryDelay, logFailure } from './requeue.ts';
import type { VoiceContext } from '../ports.ts';
import {
  toPermitRequest,
  cardKey,
  toMessageRecipient,
  MAX_BYTES,
  getTargetLanguage,
  toTurnRef,
  permitWaitId,
  getRequester,
} from './task-fields.ts';
import { findTranscriptionRefusal } from '../authorize.ts';
import { progressCard, type Stoppable, stoppedCard, stoppedNote, waitingCard } from './progress-cards.ts';
import { createProgressUpdates } from './progress-updates.ts';
import { withStatus } from './status.ts';
import { TranscriptionStoppedError, STOPPED, throwIfEnded } from './stop.ts';
import { translate } from '../translate.ts';

/**
 * Transcribes the recordings of a message in its thread, or translates one for a person. Only text is stored, never
 * audio. May be interrupted anywhere and delivered again: stored chunks are not transcribed twice.
 */
export async function runTranscriptionTask(
  queuedTask: TranscriptionTask,
  workerContext: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  if (queuedTask.request.kind === 'forget') return forgetMessage(queuedTask, workerContext);
  if ((await workerContext.recordings.isDeleted(queuedTask)) || (await isErased(queuedTask, workerContext)))
    return skipDeleted(queuedTask, workerContext);
  const turn = toTurnRef(queuedTask);
  // Requested in parallel with the settings, because a person may be waiting.
  const userLocale = queuedTask.locale ?? workerContext.platform.getLocale(turn, turn.asker);
  const layers = await workerContext.settingsStore.layers(
    getTurnSettingsPlace({ thread: queuedTask.thread, asker: getRequester(queuedTask) }),
  );
  // The same retention as the questions of the thread.
  const recordings = workerContext.recordings.withRetention(resolve('retentionDays', layers).value);
  const settings = {
    ...workerContext.settings,
    systemPrompt: combineInstructions(workerContext.settings.systemPrompt, layers),
    speech: {
      temperature: resolve('voiceTemperature', layers).value,
      maxTokens: resolve('voiceMaxTokens', layers).value,
    },
  };
  const chat = withMasking(workerContext.chat, layers);
  const context = { ...workerContext, recordings, settings, chat };
  const task = { ...queuedTask, locale: resolveLocale(layers, await userLocale) };
  const refusal = await findTranscriptionRefusal(task, layers, context);
  const { request } = task;
  if (request.kind === 'translate')
    return withStatus(task, request, context, () =>
      refusal === undefined
        ? translate(task, request, context, delivery)
        : handleRefusal(task, refusal, context),
    );
  if (refusal !== undefined) return handleRefusal(task, refusal, context);
  const transcripts: TranscribedAttachment[] = [];
  for (const recording of task.recordings) {
    const result = await transcribeRecording(recording, task, context, delivery);
    if (result === 'gone') return skipDeleted(task, context);
    if ('retryAfterMs' in result) return requeueLater(task, result.retryAfterMs, delivery, context);
    transcripts.push(result);
  }
  // A question that was stopped before anything was transcribed is dropped.
  if (
    request.kind === 'ask' &&
    isEmpty(request) &&
    transcripts.every((transcript) => 'stopped' in transcript)
  )
    return { kind: 'done' };
  // The question would store erased content again.
  if (request.kind === 'ask' && (await isErased(task, context))) return skipDeleted(task, context);
  if (request.kind === 'ask') {
    const model = request.model ?? resolve('model', layers).value;
    const media = await listRecordingsForModel(task.recordings, model, context);
    await askWithTranscript(task, request, transcripts, context, media);
  }
  return { kind: 'done' };
}

const isEmpty = ({
  question,
  attachments,
}: Extract<TranscriptionTask['request'], { kind: 'ask' }>): boolean =>
  question.trim() === '' && attachments.length === 0;

/** The duration that the platform reports; used if the file has none. */
const reportedDuration = ({ ms }: Attachment): RecordingDuration | undefined =>
  ms ? { ms, estimated: false } : undefined;

type RetryLater = { readonly retryAfterMs: number };

/** Delay of the next delivery after this one ran out of time. */
const REQUEUE_DELAY_MS = 1_000;

async function transcribeRecording(
  recording: Attachment,
  task: TranscriptionTask,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TranscribedAttachment | RetryLater | 'gone'> {
  const locale = toLocale(task.locale);
  const ref = { thread: task.thread, message: task.message, file: recordingKey(recording) };
  const [stored] = await Promise.all([
    context.recordings.find(ref),
    context.recordings.begin(ref, task.asker, task.askerWorkspace),
  ]);
  const chunks = stored ? await context.recordings.listChunks(ref, getTargetLanguage(task)) : [];
  // A stopped recording continues only on a new request.
  const isComplete = stored?.partial !== STOPPED;
  if (stored && (await isTranscribed(stored, ref, task.request, context)))
    return { text: getTranscriptText(chunks) };
  // Tracked from the first post, so that the card is deleted with its message even if the transcription never ends.
  const updates = createProgressUpdates(task.thread, cardKey(task, recording), context, (card) =>
    trackTranscriptMessages(ref, [card], context),
  );
  const stoppable = { ref, requestedBy: getRequester(task) };
  const startedAt = context.time.now();
  const work = {
    task,
    recording,
    ref,
    updates,
    delivery,
    locale,
    stoppable,
    startedAt,
    progress: { doneMs: 0 },
  };
  try {
    await throwIfEnded(ref, context);
    // Posted at once: the card of a late delivery must not go back to an earlier stage.
    if (stored && isComplete && stored.chunkCount === chunks.length)
      return await publishTranscript({ ...stored, chunks }, work, context);
    updates.schedule(waitingCard(localize(locale, 'voice.fetching'), stoppable, locale));
    return await transcribeWhole(work, context);
  } catch (error) {
    if (error instanceof MessageDeletedError) return 'gone';
    try {
      if (!(error instanceof TranscriptionStoppedError)) return await handleFailure(error, work, context);
      const transcribed = takeUntilGap(await context.recordings.listChunks(ref, getTargetLanguage(task)));
      return await endStopped({ by: error.by, chunks: transcribed }, work, context);
    } catch (failure) {
      if (!isUnpostable(failure)) throw failure;
      // The transcript is stored and goes into the question; a retry would not help.
      context.log('voice.card-post-failed', { reason: failure.message, channel: task.thread.channel });
      return { text: getTranscriptText(await context.recordings.listChunks(ref, getTargetLanguage(task))) };
    }
  }
}

/** A transcription in progress. */
type TranscriptionWork = PublishOptions & {
  readonly stoppable: Stoppable;
  /** When this delivery started it (ms since 1970). */
  readonly startedAt: number;
  readonly progress: { doneMs: number };
};

/** Downloads a recording and transcribes its missing chunks. Rejects as `transcribeChunks` does, and with FileUnavailableError. */
async function transcribeWhole(
  work: TranscriptionWork,
  context: VoiceContext,
): Promise<TranscribedAttachment | RetryLater> {
  const { task, recording, ref, updates, delivery, locale, stoppable, startedAt, progress } = work;
  if ((recording.ms ?? 0) > MAX_RECORDING_MS) {
    const sentence = localize(locale, 'voice.failed.long', { hours: MAX_RECORDING_MS / 3_600_000 });
    await updates.finish(createFailedCard(sentence));
    return { failed: sentence };
  }
  const queuePosition = delivery.isLast
    ? undefined
    : await context.speechPermits.find({
        id: permitWaitId(ref, getTargetLanguage(task)),
        home: toPermitRequest(task).home,
      });
  // Not downloaded yet: its turn is too far away.
  if (queuePosition && queuePosition.waitMs > MAX_IN_WORKER_WAIT_MS)
    throw new QueuedRequestError(queuePosition.waitMs);
  const bytes = await context.platform.downloadFile(toTurnRef(task), recording, MAX_BYTES);
  const result = await transcribeChunks(
    {
      ref,
      bytes,
      to: getTargetLanguage(task),
      delivery,
      permitRequest: toPermitRequest(task),
      payer: getRequester(task),
      stoppable: true,
      onProgress: (chunks, duration) => {
        progress.doneMs = chunks.at(-1)?.toMs ?? 0;
        updates.schedule(progressCard(chunks, duration ?? reportedDuration(recording), stoppable, locale));
      },
    },
    context,
  );
  if (result.kind === 'unfinished') return { retryAfterMs: REQUEUE_DELAY_MS };
  if (result.kind === 'stopped') return endStopped(result, work, context);
  const transcript = await publishTranscript(result, work, context);
  const measurements = { RecordingTime: context.time.now() - startedAt, RecordingSeconds: result.ms / 1_000 };
  context.metrics('voice.ended', measurements, { platform: task.thread.platform });
  return transcript;
}

/** Whether the bot cannot post here: not allowed, or the thread is deleted. A card with blocked words can still say that it failed. */
const isUnpostable = (error: unknown): error is CannotPostError | ThreadDeletedError =>
  (error instanceof CannotPostError && error.why === undefined) || error instanceof ThreadDeletedError;

/** Publishes the partial transcript of a recording that a person stopped. */
async function endStopped(
  {
    by,
    chunks,
    duration,
  }: { readonly by: UserId } & Pick<WholeRecording, 'chunks'> & {
      readonly duration?: RecordingDuration | undefined;
    },
  work: PublishOptions,
  context: VoiceContext,
): Promise<TranscribedAttachment> {
  const { updates, locale, recording } = work;
  const ms = chunks.at(-1)?.toMs;
  context.log('voice.transcription-stopped', { ms: ms ?? 0 });
  if (ms === undefined) {
    await updates.finish(stoppedCard(by, locale));
    return { failed: localize(locale, 'voice.was-stopped'), stopped: true };
  }
  const endNote = stoppedNote(by, ms, duration ?? reportedDuration(recording), locale);
  return publishTranscript({ chunks, ms, partial: STOPPED }, { ...work, endNote }, context);
}

/** Schedules a retry if it may help; otherwise posts what failed and what people can do. */
async function handleFailure(
  error: unknown,
  { task, updates, delivery, locale, stoppable, progress: { doneMs } }: TranscriptionWork,
  context: VoiceContext,
): Promise<TranscribedAttachment | RetryLater> {
  const clock = toMessageRecipient(context, locale);
  const delay = getRetryDelay(error, clock);
  const isRetried = delay !== undefined && (await canWait(task, delivery, context));
  logFailure(error, isRetried, context);
  if (isRetried) {
    const seconds = Math.ceil(delay.ms / 1_000);
    const words = localize(locale, delay.isConnectionFailure ? 'voice.broke-off' : 'voice.in-line', {
      seconds,
    });
    await updates.finish(waitingCard(words, stoppable, locale));
    // It comes back shortly before its turn.
    return { retryAfterMs: error instanceof QueuedRequestError ? returnToQueue(delay.ms).afterMs : delay.ms };
  }
  const sentence = describeTranscriptionFailure(error, doneMs, clock, getTargetLanguage(task));
  if (sentence === undefined) throw error;
  await updates.finish(createFailedCard(sentence, failureDetails(failureFacts(error), locale)));
  return { failed: sentence };
}
