import type { Queue } from '../../../shared/aws/index.ts';
import { type EraseTask, type UserId, userId } from '../../../shared/domain/index.ts';
import { enqueueErasure } from '../../../shared/privacy/index.ts';
import { enqueueTask } from '../../../shared/task-queue/index.ts';
import type { DataSubject } from './data-subject.ts';

/**
 * Queues the erasure that the bot itself does for `forget` and for an uninstalled app, with its moments and its log. `starter` is who
 * asked the first question of a thread. Repeated, nothing is left to erase.
 */
export async function enqueueSubjectErasure(
  subject: DataSubject,
  starter: UserId | undefined,
  queue: Queue,
  now: number,
): Promise<void> {
  const key = `operator-${now}`;
  if (subject.kind === 'person') {
    const { platform, workspace, user } = subject;
    return enqueueErasure(platform, workspace, { kind: 'person', user }, key, queue);
  }
  if (subject.kind === 'workspace')
    return enqueueErasure(subject.platform, subject.workspace, { kind: 'workspace', at: now }, key, queue);
  const { thread } = subject;
  const task: EraseTask = {
    v: 1,
    kind: 'erase',
    thread,
    message: thread.root,
    asker: starter ?? userId('none'),
    askerWorkspace: thread.workspace,
    scope: { kind: 'thread' },
    round: 0,
  };
  await enqueueTask(task, key, queue);
}
