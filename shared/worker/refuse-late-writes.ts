import { parseTask, getTaskTurnRef } from '../domain/index.ts';
import type { TaskMessage } from '../task-queue/index.ts';
import type { WorkerContext } from './dispatch-task.ts';

/**
 * Fences off late writes of other processes to the turn of a task that is given up, also of one that has not claimed it yet: the next question
 * of its thread may have been merged into an answer that is stored late, and is answered separately now. One write unit.
 */
export async function refuseLateWrites(
  { id, body }: Pick<TaskMessage, 'id' | 'body'>,
  { signals }: Pick<WorkerContext, 'signals'>,
): Promise<void> {
  const task = parseTask(body);
  if (task?.kind === 'ask' || task?.kind === 'redo') await signals.giveUp(getTaskTurnRef(task), id);
}
