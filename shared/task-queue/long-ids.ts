import { createHash } from 'node:crypto';
import type { Task } from '../domain/index.ts';
import type { Queue } from '../aws/index.ts';
import { enqueueTask } from './enqueue.ts';

/** The most characters that SQS takes in a deduplication id and in the id of a message group. */
const MAX_ID_LENGTH = 128;
const HASH_LENGTH = 64;

/** Shortens an id that SQS would reject to its beginning and its SHA-256. */
export const shortenQueueId = (id: string): string =>
  id.length <= MAX_ID_LENGTH
    ? id
    : `${id.slice(0, MAX_ID_LENGTH - HASH_LENGTH)}${createHash('sha256').update(id).digest('hex')}`;

/** Like `enqueueTask`, for tasks that are named by longer ids than those of the platforms. Apart from it, because the fronts have no such tasks. */
export const enqueueNamedTask = (task: Task, requestKey: string, queue: Queue): Promise<void> =>
  enqueueTask(task, requestKey, {
    send: (body, group, dedup) => queue.send(body, group, shortenQueueId(dedup)),
  });
