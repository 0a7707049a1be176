import { channelId, messageId, type ScheduledTask } from '../domain/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Schedule } from '../storage/index.ts';
import { enqueueTask } from '../task-queue/index.ts';

/** Enqueues the due run of a schedule. The same run within five minutes is enqueued once. */
export async function enqueueScheduledRun(schedule: Schedule, queue: Queue): Promise<void> {
  const { platform, workspace, channel = channelId('none'), by, id, dueMs } = schedule;
  // One message group for each schedule: it has no thread.
  const thread = { platform, workspace, channel, root: messageId(id) };
  const task: ScheduledTask = {
    v: 1,
    kind: 'scheduled',
    thread,
    message: messageId(String(dueMs)),
    asker: by,
    askerWorkspace: workspace,
    scheduleId: id,
    runAt: dueMs,
  };
  await enqueueTask(task, '', queue);
}
