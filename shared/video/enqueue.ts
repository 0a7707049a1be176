import { threadKey, type VideoTask } from '../domain/index.ts';
import type { Job } from './jobs/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';

/**
 * Puts a look at a job on the queue, in line with its thread, so that one worker at a time says something there. The
 * same `why` for the same job counts once within five minutes. `quiet`: how long it has taken so far is not shown anew.
 */
export async function enqueueVideoTask(job: Job, why: string, queue: Queue, quiet = false): Promise<void> {
  const { thread, asked: message, by } = job;
  const task: VideoTask = {
    v: 1,
    kind: 'video',
    thread,
    message,
    asker: by.user,
    askerWorkspace: by.workspace,
    job: job.id,
    ...(quiet && { quiet }),
  };
  await queue.send(JSON.stringify(task), threadKey(thread), `video#${job.id}#${why}`);
}
