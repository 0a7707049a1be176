import { type ApologiseTask, parseTask, threadKey } from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import { apologise } from './apologise.ts';
import type { Deps, Verdict } from './ports.ts';

export type BuryDeps = Pick<Deps, 'turns' | 'marks' | 'platform' | 'time' | 'settings' | 'log'> & {
  readonly queue: Queue;
};

/**
 * Deals with a task that the queue gave up. The person who asked is told, but in line with the thread: by now the next
 * question may be being answered there, and two workers would take each other's messages for their own. Only an apology
 * that failed as often as the question is made right here.
 */
export async function bury(body: string, deps: BuryDeps): Promise<Verdict> {
  const task = parseTask(body);
  deps.log('task.dead', { kind: task?.kind ?? 'unreadable', message: task?.message });
  if (task?.kind === 'apologise') return apologise(task, deps);
  if (task?.kind === 'ask') {
    const { receivedAt: _, ...asked } = task;
    const apology: ApologiseTask = { ...asked, kind: 'apologise' };
    const group = threadKey(task.thread);
    await deps.queue.send(JSON.stringify(apology), group, `apologise#${group}#${task.message}`);
  }
  return { kind: 'done' };
}
