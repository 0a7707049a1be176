import { type TranscriptionTask, recordingKey } from '../../domain/index.ts';
import { FileUnavailableError } from '../../platforms/ports/platform.ts';
import { enqueueTranscription } from '../auto-transcribe.ts';
import type { QueueDelivery, TaskResult } from '../../context/ports.ts';
import { describeFailure, type MessageRecipient } from '../../chat/display/error-messages.ts';
import type { VoiceContext } from '../ports.ts';
import { toOf } from './task-fields.ts';

type RequeueContext = Pick<VoiceContext, 'recordings' | 'recordingsQueue'>;

/** When to try again what broke off: a connection, a host that did not answer. */
const AGAIN_MS = 15_000;

/** How far a task's recordings are: how many pieces are heard and kept, or spoken into the thread. */
async function heardOf(task: TranscriptionTask, { recordings }: RequeueContext): Promise<number> {
  const { thread, message, wish } = task;
  if (wish.kind === 'translate' && wish.speak) return wish.from ?? 0;
  let heard = 0;
  for (const one of task.recordings) {
    const pieces = await recordings.listChunks({ thread, message, file: recordingKey(one) }, toOf(task));
    heard += pieces.length;
  }
  return heard;
}

/**
 * Whether waiting may help. A task may wait for 75 minutes (`RECORDINGS`); one that got on since it was sent is sent once more, so that
 * a long recording, or a key that others use up, costs time and not the words.
 */
export const canWait = async (
  task: TranscriptionTask,
  { isLast: last }: QueueDelivery,
  context: RequeueContext,
): Promise<boolean> => !last || (await heardOf(task, context)) > (task.heard ?? 0);

/** Has the rest of a task done later. */
export async function requeueLater(
  task: TranscriptionTask,
  afterMs: number,
  { isLast: last }: QueueDelivery,
  context: RequeueContext,
): Promise<TaskResult> {
  const heard = last ? await heardOf(task, context) : 0;
  if (heard <= (task.heard ?? 0)) return { kind: 'later', afterMs };
  const { wish } = task;
  const which = wish.kind === 'translate' ? `translate#${wish.invocation.id}` : wish.kind;
  await enqueueTranscription({ ...task, heard }, `${which}#${heard}`, context.recordingsQueue);
  return { kind: 'done' };
}

/** After how long a failure may be over, in ms; undefined where waiting does not help. `broke`: nobody asked to wait. */
export function waitMs(
  error: unknown,
  listener: MessageRecipient,
): { readonly ms: number; readonly broke: boolean } | undefined {
  const { retryAfterMs, brokeOff } = describeFailure(error, listener) ?? {};
  if (retryAfterMs !== undefined) return { ms: retryAfterMs, broke: false };
  const silent = error instanceof FileUnavailableError && error.why[0] === 'files.refused.no-answer';
  return brokeOff === true || silent ? { ms: AGAIN_MS, broke: true } : undefined;
}
