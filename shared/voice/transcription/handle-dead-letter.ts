import { type TranscriptionTask, recordingKey, type TaskResult } from '../../domain/index.ts';
import { toLocale, localize } from '../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import { askWithTranscript, type TranscribedAttachment } from '../ask-with-transcript.ts';
import { createFailedCard } from '../cards.ts';
import { forgetMessage } from './forget.ts';
import { isTranscribed } from './publish-transcript.ts';
import type { VoiceContext } from '../ports.ts';
import { cardKey } from './task-fields.ts';
import { clearStatus } from './status.ts';
import { replyToRequester } from '../reply-to-requester.ts';

type TranscriptionDeadLetterContext = Pick<
  VoiceContext,
  'messenger' | 'queue' | 'time' | 'log' | 'signals'
> & {
  readonly recordings: Parameters<typeof forgetMessage>[1]['recordings'] &
    Pick<VoiceContext['recordings'], 'find' | 'listChunks'>;
};

/**
 * Handles a task that failed until the queue gave up: tells the requester, and asks a question without the missing
 * transcripts. Finished ones stay, and are part of the question. A `forget` task is executed here; rejects if that fails, so
 * that it is retried.
 */
export async function handleTranscriptionDeadLetter(
  task: TranscriptionTask,
  context: TranscriptionDeadLetterContext,
): Promise<TaskResult> {
  const { request } = task;
  context.log('voice.task-dead-lettered', { ...task.thread, message: task.message, request: request.kind });
  if (request.kind === 'forget') return forgetMessage(task, context);
  const locale = toLocale(task.locale);
  const reason = localize(locale, 'voice.failed.gave-up');
  if (request.kind === 'translate') {
    await clearStatus(task.thread, context);
    return replyToRequester(request, createFailedCard(reason), locale, context);
  }
  const recordings = await context.recordings.listByMessage(task.thread, task.message);
  const transcripts: TranscribedAttachment[] = [];
  for (const recording of task.recordings) {
    const ref = { thread: task.thread, message: task.message, file: recordingKey(recording) };
    const stored = await context.recordings.find(ref);
    if (stored && (await isTranscribed(stored, ref, request, context))) {
      transcripts.push({ text: getTranscriptText(await context.recordings.listChunks(ref)) });
      continue;
    }
    transcripts.push({ failed: reason });
    const tracked = recordings.find((one) => one.ref.file === ref.file);
    // The card is the oldest message; it still shows the transcription in progress.
    const [card] = tracked?.messages.toSorted() ?? [];
    const key = cardKey(task, recording);
    await context.messenger
      .postCard(task.thread, createFailedCard(reason), key, card)
      .catch((error: unknown) => {
        if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
        context.log('voice.card-post-failed', { reason: error.message, channel: task.thread.channel });
      });
  }
  if (request.kind === 'ask') await askWithTranscript(task, request, transcripts, context);
  return { kind: 'done' };
}
