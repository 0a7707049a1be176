import type { TranscriptionTask, MessageId } from '../../domain/index.ts';
import type { RecordingRef, Recordings } from '../../storage/index.ts';
import type { TaskResult } from '../../context/ports.ts';
import { deleteBotMessages } from '../../chat/answer/delete-bot-messages.ts';
import type { VoiceContext } from '../ports.ts';

type ForgetContext = Pick<VoiceContext, 'messenger' | 'log'> & {
  readonly recordings: Pick<Recordings, 'listByMessage' | 'remove'>;
};
type KeepContext = Pick<VoiceContext, 'recordings' | 'messenger' | 'log'>;

/** The message was deleted: nothing more of its recordings is sent anywhere. What undoes the rest waits behind this task. */
export class MessageGone extends Error {
  override readonly name = 'MessageGone';
}

/** What was written out of a message goes with it: where it stands and where it is kept. Safe to repeat. */
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

/**
 * Whether who recorded this, its thread, or the workspace was forgotten since then. Then it is not heard either where it was asked for before and waited in
 * the queue: what it says would be kept anew.
 */
export async function isErased(
  { thread, message, asker, askerWorkspace, wish, ...task }: TranscriptionTask,
  { erased }: Pick<VoiceContext, 'erased'>,
): Promise<boolean> {
  const { platform, workspace } = thread;
  const [ofThread = 0, people, ofWorkspace = 0, ofTeam = 0] = await Promise.all([
    erased.of({ thread }),
    erased.ofPeople(thread, [asker]),
    erased.of({ platform, workspace }),
    askerWorkspace === workspace ? undefined : erased.of({ platform, workspace: askerWorkspace }),
  ]);
  const sentAt = erased.sentAtMs(message);
  if (sentAt <= Math.max(ofThread, people.get(asker) ?? 0)) return true;
  // A workspace that came back may have its older recordings heard.
  const askedAt = wish.kind === 'ask' ? wish.receivedAt : (task.at ?? sentAt);
  return askedAt <= Math.max(ofWorkspace, ofTeam);
}

/** Keeps which messages go with a recording. Where it was forgotten while it was heard, they go at once. */
export async function keepShown(
  ref: RecordingRef,
  messages: readonly MessageId[],
  context: KeepContext,
): Promise<boolean> {
  if (await context.recordings.addTranscriptMessages(ref, messages)) return true;
  await deleteBotMessages(ref.thread, messages, context);
  await context.recordings.remove(ref);
  return false;
}
