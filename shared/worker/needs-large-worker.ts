import type { Attachment, Task } from '../domain/index.ts';
import type { ByteBudget } from '../runtime/index.ts';
import { addsDocuments } from '../commands/index.ts';
import { getTotalMemoryBytes } from '../chat/index.ts';

/**
 * Whether a task, as far as it names its files, needs more memory than `memory` has in total. A task that turns out later to need more (the images
 * of a regenerated answer, files of its question that nobody has read) finds no room then.
 */
export function needsLargeWorker(task: Task, memory: ByteBudget): boolean {
  const exceeds = (attachments: readonly Attachment[]): boolean =>
    getTotalMemoryBytes(attachments) > memory.total;
  switch (task.kind) {
    case 'ask':
      return exceeds(task.attachments);
    case 'redo':
      return task.change.kind === 'edited' && exceeds(task.change.attachments);
    // These hold files of some megabytes in memory.
    case 'export':
    case 'video':
      return true;
    case 'invoked':
      return addsDocuments(task.interaction);
    case 'apologise':
    case 'connect':
    case 'erase':
    case 'integration-ask':
    case 'reconcile':
    case 'reindex':
    case 'scheduled':
    case 'webhook':
      return false;
  }
}
