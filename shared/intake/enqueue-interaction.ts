import {
  channelId,
  type InteractionTask,
  type Interaction,
  messageId,
  isModalRequest,
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { Queue } from '../aws/index.ts';

export type EnqueueInteractionContext = { readonly queue: Queue };

/**
 * Queues an interaction: in the message group of its thread, or in a group of its own. Platforms do not repeat
 * interactions: if this rejects, the caller must tell the person that it failed.
 */
export async function enqueueInteraction(
  interaction: Interaction,
  { queue }: EnqueueInteractionContext,
): Promise<'queued'> {
  const { id, platform, workspace, channel = channelId('none'), by } = interaction;
  const message = messageId(id);
  // A modal cannot wait until the current answer of the thread is finished.
  const sharedThread = isModalRequest(interaction.payload) ? undefined : interaction.thread;
  const thread = sharedThread ?? { platform, workspace, channel, root: message };
  const turnRef = { v: 1 as const, thread, message, asker: by.user, askerWorkspace: by.workspace };
  const task: InteractionTask = { ...turnRef, kind: 'invoked', interaction };
  await enqueueTask(task, '', queue);
  return 'queued';
}
