import { parseTask, taskTurnRef } from '../domain/index.ts';
import type { WorkerContext } from './dispatch-task.ts';

/**
 * Fences off late writes of dead workers to the turn of a task that is given up: the next question of its thread may have been merged into an
 * answer that is stored late, and is answered separately now. One write unit.
 */
export async function refuseLateWrites(body: string, { turns }: Pick<WorkerContext, 'turns'>): Promise<void> {
  const task = parseTask(body);
  // Only the new fence matters; nobody works under this claim.
  if (task?.kind === 'ask' || task?.kind === 'redo') await turns.claim(taskTurnRef(task), 0, true);
}
