import type { Attachment, Task } from '../domain/index.ts';
import type { ByteBudget } from '../runtime/byte-budget.ts';
import { memoryOf } from '../chat/prompt/fetch-files.ts';

/**
 * Whether a task is known to need more memory than `memory` has in all, before anything of it is begun. What turns out later to need more (a file
 * whose size nobody told, the pictures of a question that is answered anew) finds no room then.
 */
export function needsLargeWorker(task: Task, memory: ByteBudget): boolean {
  const exceeds = (attachments: readonly Attachment[]): boolean => memoryOf(attachments) > memory.total;
  switch (task.kind) {
    case 'ask':
      return exceeds(task.attachments);
    case 'redo':
      return task.how.kind === 'edited' && exceeds(task.how.attachments);
    // Files of some megabytes are held whole.
    case 'export':
    case 'video':
      return true;
    case 'apologise':
    case 'erase':
    case 'invoked':
    case 'reconcile':
      return false;
  }
}
