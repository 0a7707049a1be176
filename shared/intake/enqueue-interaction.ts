import { channelId, type InteractionTask, type Interaction, messageId, wantsForm } from '../domain/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import { enqueueTask } from '../task-queue/enqueue.ts';

export type EnqueueInteractionContext = { readonly queue: Queue };

/**
 * Takes a call in: a task in line with the thread it came from, or in a line of its own. The platform does not deliver
 * calls again: if it rejects, the person is to be told that it failed.
 */
export async function enqueueInteraction(
  invocation: Interaction,
  { queue }: EnqueueInteractionContext,
): Promise<'queued'> {
  const { id, platform, workspace, channel = channelId('none'), by } = invocation;
  const message = messageId(id);
  // A form cannot wait until an answer of the thread is finished: it would come too late.
  const line = wantsForm(invocation.call) ? undefined : invocation.thread;
  const thread = line ?? { platform, workspace, channel, root: message };
  const place = { v: 1 as const, thread, message, asker: by.user, askerWorkspace: by.workspace };
  const task: InteractionTask = { ...place, kind: 'invoked', invocation };
  await enqueueTask(task, '', queue);
  return 'queued';
}
