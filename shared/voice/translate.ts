import {
  type Card,
  type TranscriptionTask,
  recordingKey,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import type { StoredChunk, StoredRecording, RecordingRef } from '../storage/index.ts';
import { toLocale, localize } from '../i18n/index.ts';
import { failureDetails, failureFacts } from '../chat/index.ts';
import { createFailedCard, describeTranscriptionFailure, createTranslatedCard } from './cards.ts';
import { MessageDeletedError } from './transcription/forget.ts';
import { transcribeChunks } from './transcription/transcribe-chunks.ts';
import { requeueLater, canWait, getRetryDelay, logFailure } from './transcription/requeue.ts';
import type { VoiceContext } from './ports.ts';
import {
  toPermitRequest,
  toMessageRecipient,
  MAX_BYTES,
  toTurnRef,
  getRequester,
} from './transcription/task-fields.ts';
import { isOptedOutByAuthor } from './authorize.ts';
import { speakTranslation } from './speak-translation.ts';
import { STOPPED } from './transcription/stop.ts';
import { replyToRequester, type TranslationRequest } from './reply-to-requester.ts';

/** Translates a recording for the requester only. Each language is translated and spoken once. */
export async function translate(
  task: TranscriptionTask,
  request: TranslationRequest,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const locale = toLocale(task.locale);
  const reply = (card: Card) => replyToRequester(request, card, locale, context);
  const [recording] = task.recordings;
  if (!recording) return { kind: 'done' };
  const ref = { thread: task.thread, message: task.message, file: recordingKey(recording) };
  try {
    const stored = await context.recordings.find(ref);
    const chunks = request.speak ? undefined : await findTranslation(stored, ref, request.to, context);
    if (chunks) return await reply(createTranslatedCard(chunks, request.to, ref, locale));
    if (await isOptedOutByAuthor(task, stored?.by ?? task.asker, context))
      return await reply(createFailedCard(localize(locale, 'voice.theirs')));
    if (stored === undefined && (await context.recordings.readSignal(ref)).stoppedBy !== undefined)
      return await reply(createFailedCard(localize(locale, 'voice.was-stopped')));
    // Of a stopped recording, only the transcribed part is translated.
    const maxMs = stored?.partial === STOPPED ? stored.ms : undefined;
    if (request.speak) return await speakTranslation(task, request, maxMs, context, delivery);
    const bytes = await context.platform.downloadFile(toTurnRef(task), recording, MAX_BYTES);
    const result = await transcribeChunks(
      {
        ref,
        bytes,
        to: request.to,
        delivery,
        permitRequest: toPermitRequest(task),
        payer: getRequester(task),
        maxMs,
      },
      context,
    );
    if (result.kind !== 'whole') return await requeueLater(task, 1_000, delivery, context);
    return await reply(createTranslatedCard(result.chunks, request.to, ref, locale));
  } catch (error) {
    if (error instanceof MessageDeletedError) return reply(createFailedCard(localize(locale, 'voice.gone')));
    const delay = getRetryDelay(error, toMessageRecipient(context, locale));
    const isRetried = delay !== undefined && (await canWait(task, delivery, context));
    logFailure(error, isRetried, context);
    if (isRetried) return requeueLater(task, delay.ms, delivery, context);
    const sentence = describeTranscriptionFailure(error, 0, toMessageRecipient(context, locale), request.to);
    if (sentence === undefined) throw error;
    return reply(createFailedCard(sentence, failureDetails(failureFacts(error), locale)));
  }
}

/** Returns the complete stored translation; undefined if there is none. */
async function findTranslation(
  stored: StoredRecording | undefined,
  ref: RecordingRef,
  to: string,
  { recordings }: VoiceContext,
): Promise<StoredChunk[] | undefined> {
  const chunks = await recordings.listChunks(ref, to);
  return chunks.length > 0 && chunks.length === stored?.chunkCount ? chunks : undefined;
}
