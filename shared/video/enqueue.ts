import { serializeTask, threadKey, type VideoTask } from '../domain/index.ts';
import type { Job } from './jobs/index.ts';
import type { Queue } from '../aws/index.ts';

/**
 * Queues a check of a job in the order of its thread, so that one worker at a time posts there. The same `why` for the same
 * job is deduplicated for five minutes. `quiet`: the elapsed time on the card is not updated.
 */
export async function enqueueVideoTask(job: Job, why: string, queue: Queue, quiet = false): Promise<void> {
  const { thread, requestMessage: message, by } = job;
  const task: VideoTask = {
    v: 1,
    kind: 'video',
    thread,
    message,
    asker: by.user,
    askerWorkspace: by.workspace,
    jobId: job.id,
    ...(quiet && { quiet }),
  };
  await queue.send(serializeTask(task), threadKey(thread), `video#${job.id}#${why}`);
}
