import type { TranscriptionTask, MessageId, TargetMessage, TaskResult } from '../../domain/index.ts';
import type { RecordingRef, Recordings } from '../../storage/index.ts';
import { deleteBotMessages } from '../../chat/index.ts';
import type { ErasedUntil } from '../../platforms/index.ts';
import type { VoiceContext } from '../ports.ts';

type ForgetContext = Pick<VoiceContext, 'messenger' | 'log'> & {
  readonly recordings: Pick<Recordings, 'listByMessage' | 'remove'>;
};
type KeepContext = Pick<VoiceContext, 'messenger' | 'log'> & {
  readonly recordings: Pick<VoiceContext['recordings'], 'addTranscriptMessages' | 'remove'>;
};

/** The message was deleted: its recordings are not processed further. A queued `forget` task removes what was posted. */
export class MessageDeletedError extends Error {
  override readonly name = 'MessageDeletedError';
}

/** Deletes the posted and stored transcripts of a deleted message. Idempotent. */
export async function forgetMessage(
  { thread, message }: TranscriptionTask,
  context: ForgetContext,
): Promise<TaskResult> {
  for (const { ref, messages } of await context.recordings.listByMessage(thread, message)) {
    await deleteBotMessages(thread, messages, context);
    await context.recordings.remove(ref);
  }
  return { kind: 'done' };
}

/** Whether the data of the speaker or the thread was erased after this message. Then its recordings are not transcribed any more. */
export async function isRecordingErased(
  { thread, id, author }: Pick<TargetMessage, 'thread' | 'id' | 'author'>,
  erased: ErasedUntil,
): Promise<boolean> {
  const [threadErasedAt = 0, peopleErasedAt] = await Promise.all([
    erased.of({ thread }),
    erased.ofPeople(thread, [author]),
  ]);
  return erased.sentAtMs(id) <= Math.max(threadErasedAt, peopleErasedAt.get(author) ?? 0);
}

/**
 * Whether the data of the speaker, the thread or the workspace was erased after this recording. A task that was queued
 * before the erasure must not run: it would store the content again.
 */
export async function isErased(
  { thread, message, asker, askerWorkspace, request, ...task }: TranscriptionTask,
  { erased }: Pick<VoiceContext, 'erased'>,
): Promise<boolean> {
  const { platform, workspace } = thread;
  const [isMessageErased, workspaceErasedAt = 0, askerWorkspaceErasedAt = 0] = await Promise.all([
    isRecordingErased({ thread, id: message, author: asker }, erased),
    erased.of({ platform, workspace }),
    askerWorkspace === workspace ? undefined : erased.of({ platform, workspace: askerWorkspace }),
  ]);
  if (isMessageErased) return true;
  // A reinstalled workspace may request transcripts of older recordings.
  const requestedAt =
    request.kind === 'ask' ? request.receivedAt : (task.requestedAt ?? erased.sentAtMs(message));
  return requestedAt <= Math.max(workspaceErasedAt, askerWorkspaceErasedAt);
}

/** Stores which messages belong to a recording. If it was erased meanwhile, deletes them at once and returns false. */
export async function trackTranscriptMessages(
  ref: RecordingRef,
  messages: readonly MessageId[],
  context: KeepContext,
): Promise<boolean> {
  if (await context.recordings.addTranscriptMessages(ref, messages)) return true;
  await deleteBotMessages(ref.thread, messages, context);
  await context.recordings.remove(ref);
  return false;
}
