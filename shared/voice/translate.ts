import { type TranscriptionTask, recordingKey } from '../domain/index.ts';
import type { StoredChunk, StoredRecording, RecordingRef } from '../storage/index.ts';
import { toLocale, localize } from '../i18n/index.ts';
import type { QueueDelivery, TaskResult } from '../context/ports.ts';
import { failedCard, failureOf, translatedCard } from './cards.ts';
import { MessageGone } from './transcription/forget.ts';
import { transcribePieces } from './transcription/transcribe-pieces.ts';
import { requeueLater, canWait, waitMs } from './transcription/requeue.ts';
import type { VoiceContext } from './ports.ts';
import { asksFor, clockOf, MAX_BYTES, turnOf, wanting } from './transcription/task-fields.ts';
import { isOwnRecording } from './authorize.ts';
import { speakTranslation } from './speak-translation.ts';
import { STOPPED } from './transcription/stop.ts';
import { replyToRequester, type RequesterReply } from './reply-to-requester.ts';

/** One recording in a language, for who asked alone. Translated and spoken once for each language. */
export async function translate(
  task: TranscriptionTask,
  wish: RequesterReply,
  context: VoiceContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const locale = toLocale(task.locale);
  const [recording] = task.recordings;
  if (!recording) return { kind: 'done' };
  const ref = { thread: task.thread, message: task.message, file: recordingKey(recording) };
  try {
    const whole = await context.recordings.find(ref);
    const pieces = wish.speak ? undefined : await known(whole, ref, wish.to, context);
    if (pieces) return await replyToRequester(wish, translatedCard(pieces, wish.to, ref, locale), context);
    if (await isOwnRecording(task, whole?.by, context))
      return await replyToRequester(wish, failedCard(localize(locale, 'voice.theirs')), context);
    if (wish.speak) return await speakTranslation(task, wish, context, delivery);
    const bytes = await context.platform.downloadFile(turnOf(task), recording, MAX_BYTES);
    // Of one that was stopped, what its words are there of.
    const mostMs = whole?.partial === STOPPED ? whole.ms : undefined;
    const listened = await transcribePieces(
      { ref, bytes, to: wish.to, delivery, ask: asksFor(task), person: wanting(task), mostMs },
      context,
    );
    if (listened.kind !== 'whole') return await requeueLater(task, 1_000, delivery, context);
    return await replyToRequester(wish, translatedCard(listened.pieces, wish.to, ref, locale), context);
  } catch (error) {
    if (error instanceof MessageGone) return { kind: 'done' };
    const wait = waitMs(error, clockOf(context, locale));
    if (wait && (await canWait(task, delivery, context)))
      return requeueLater(task, wait.ms, delivery, context);
    const sentence = failureOf(error, 0, clockOf(context, locale));
    if (sentence === undefined) throw error;
    return replyToRequester(wish, failedCard(sentence), context);
  }
}

/** The whole translation, if it was made before. */
async function known(
  whole: StoredRecording | undefined,
  ref: RecordingRef,
  to: string,
  { recordings }: VoiceContext,
): Promise<StoredChunk[] | undefined> {
  const pieces = await recordings.listChunks(ref, to);
  return pieces.length > 0 && pieces.length === whole?.pieces ? pieces : undefined;
}
