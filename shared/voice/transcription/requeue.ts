import {
  type TranscriptionTask,
  recordingKey,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { FileUnavailableError } from '../../platforms/ports/index.ts';
import { enqueueTranscription } from '../auto-transcribe.ts';
import { describeFailure, failureFacts, type MessageRecipient } from '../../chat/index.ts';
import { QueuedRequestError } from '../../rate-limits/index.ts';
import { errorName } from '../../utils/index.ts';
import type { VoiceContext } from '../ports.ts';
import { getTargetLanguage } from './task-fields.ts';

type RequeueContext = Pick<VoiceContext, 'recordings' | 'recordingsQueue'>;

/** Delay after a broken connection, or a host that did not answer. */
const RETRY_DELAY_MS = 15_000;

/** Returns how many chunks of a task are transcribed and stored, or spoken in the thread. */
async function countDoneChunks(task: TranscriptionTask, { recordings }: RequeueContext): Promise<number> {
  const { thread, message, request } = task;
  if (request.kind === 'translate' && request.speak) return request.nextChunk ?? 0;
  let count = 0;
  for (const recording of task.recordings) {
    const chunks = await recordings.listChunks(
      { thread, message, file: recordingKey(recording) },
      getTargetLanguage(task),
    );
    count += chunks.length;
  }
  return count;
}

/**
 * Whether the task may be retried later. A task may wait for 75 minutes (`RECORDINGS`). A task that made progress since it
 * was queued is queued again, so that a long recording or a busy key delays the transcript but does not lose it.
 */
export const canWait = async (
  task: TranscriptionTask,
  { isLast }: QueueDelivery,
  context: RequeueContext,
): Promise<boolean> => !isLast || (await countDoneChunks(task, context)) > (task.doneChunks ?? 0);

/** Retries the rest of a task later: by this message, or by a new one if this delivery is the last. */
export async function requeueLater(
  task: TranscriptionTask,
  afterMs: number,
  { isLast }: QueueDelivery,
  context: RequeueContext,
): Promise<TaskResult> {
  const doneChunks = isLast ? await countDoneChunks(task, context) : 0;
  if (doneChunks <= (task.doneChunks ?? 0)) return { kind: 'later', afterMs };
  const { request } = task;
  const key = request.kind === 'translate' ? `translate#${request.interaction.id}` : request.kind;
  await enqueueTranscription(
    { ...task, doneChunks: doneChunks },
    `${key}#${doneChunks}`,
    context.recordingsQueue,
  );
  return { kind: 'done' };
}

/** Returns the delay (ms) after which a retry may succeed; undefined if it cannot. `isConnectionFailure`: the delay is ours, not one from a response. */
export function getRetryDelay(
  error: unknown,
  recipient: MessageRecipient,
): { readonly ms: number; readonly isConnectionFailure: boolean } | undefined {
  const { retryAfterMs, isInterrupted } = describeFailure(error, recipient) ?? {};
  if (retryAfterMs !== undefined) return { ms: retryAfterMs, isConnectionFailure: false };
  const isUnanswered = error instanceof FileUnavailableError && error.why[0] === 'files.refused.no-answer';
  return isInterrupted === true || isUnanswered
    ? { ms: RETRY_DELAY_MS, isConnectionFailure: true }
    : undefined;
}

/** Logs why a transcription or translation failed, with what the upstream says. A place in the queue for permits is no failure. */
export function logFailure(error: unknown, isRetried: boolean, { log }: Pick<VoiceContext, 'log'>): void {
  if (error instanceof QueuedRequestError) return;
  log('voice.transcription-failed', { error: errorName(error), isRetried, ...failureFacts(error) });
}
