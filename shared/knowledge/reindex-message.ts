import type { ReindexTask, TaskResult } from '../domain/index.ts';
import type { AddContext } from './context.ts';
import { messageFileSource, messageTextSource, storeDocument, getTitle } from './store-document.ts';

/**
 * Indexes the text of an edited message again where it is in the collection of its channel, and removes its files that it no longer has. A file never changes,
 * so nothing is downloaded. An edit that is older than that of the stored text changes nothing. Rejects if the table or the platform is unavailable.
 */
export async function reindexMessage(
  task: ReindexTask,
  context: Pick<AddContext, 'collections' | 'platform' | 'log' | 'time'>,
): Promise<TaskResult> {
  const { thread, message, text, attachments, mayHaveFiles, editedAt } = task;
  const { ready, unfinished } = await context.collections.list(thread);
  const source = messageTextSource(message);
  const files = mayHaveFiles ? await context.platform.listFiles(task) : attachments;
  const fileSources = files?.map((file) => messageFileSource(message, file));
  for (const document of [...ready, ...unfinished]) {
    const { id } = document;
    const isNewer = ready.includes(document) && (document.editedAt ?? 0) >= editedAt;
    const isText = id.startsWith(`${source}.`);
    // Files that cannot be listed stay.
    const isAttached = fileSources ? fileSources.some((one) => id.startsWith(`${one}.`)) : !isText;
    if (!id.startsWith(`M${message}.`) || isNewer || isAttached) continue;
    const edited = { ...document, source, title: getTitle(text), pages: [{ text }], isCut: false, editedAt };
    const outcome = isText ? await storeDocument(edited, thread, `edit-${editedAt}`, context) : undefined;
    // Without text, or in a full collection: what the message said before must not stay.
    if (outcome?.kind !== 'added') await context.collections.remove(thread, id);
    context.log('knowledge.reindexed', {
      channel: thread.channel,
      outcome: outcome?.kind ?? 'removed',
    });
  }
  // Deleted meanwhile: its event found nothing to remove.
  if (await context.platform.isDeleted(task)) await context.collections.removeMessage(thread, message);
  return { kind: 'done' };
}
