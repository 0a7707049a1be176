import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  attachmentSchema,
  messageId,
  threadKey,
  threadSchema,
  userId,
  workspaceId,
  PLATFORMS,
} from '../../domain/index.ts';
import { type Job, type JobId, jobId, type JobRequester, JOB_STATES } from '../../video/jobs/index.ts';
import { jobKey, VIDEO } from './job-key.ts';
import type { Item, Key } from '../turns/turn-item.ts';
import { numeral } from '../turns/turn-table.ts';

/**
 * A job in the `conversations` table, apart from all threads.
 *
 *   pk    VIDEO# and who asked, as a hash      sk    JOB# and what asked for it, as a hash
 *   v     its version                          body  all of it, as JSON
 *   open,due  that it is to be looked at, and when (s)      ttl  when it expires (s)
 *
 * And one item in the thread's own partition, which says that the thread has this job: sk VIDEO# and the job's id; by and ws, who asked, from which workspace.
 */

/** What the sparse index calls jobs that are not over. */
export const OPEN_JOBS = 'video';

const message = v.pipe(v.string(), v.transform(messageId));
const id = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const found = jobId(dataset.value);
    if (found !== undefined) return found;
    addIssue({ message: 'not the id of a job' });
    return NEVER;
  }),
);

const account = v.object({ book: v.string(), account: v.string() });

const body = v.object({
  id,
  by: v.object({
    platform: v.picklist(PLATFORMS),
    workspace: v.pipe(v.string(), v.transform(workspaceId)),
    user: v.pipe(v.string(), v.transform(userId)),
  }),
  thread: threadSchema,
  asked: message,
  state: v.picklist(JOB_STATES),
  version: v.number(),
  createdAt: v.number(),
  locale: v.optional(v.string()),
  prompt: v.string(),
  model: v.string(),
  price: v.optional(v.string()),
  picture: attachmentSchema,
  accounts: v.optional(v.array(account)),
  agreedAt: v.optional(v.number()),
  input: v.optional(v.string()),
  key: v.string(),
  keyName: v.optional(v.string()),
  waits: v.optional(v.boolean()),
  triedAt: v.optional(v.number()),
  secretHash: v.optional(v.string()),
  submittedAt: v.optional(v.number()),
  handle: v.optional(
    v.object({
      requestId: v.string(),
      status: v.string(),
      statusUrl: v.string(),
      responseUrl: v.string(),
      cancelUrl: v.string(),
    }),
  ),
  place: v.optional(v.number()),
  seenAt: v.optional(v.number()),
  trouble: v.optional(v.picklist(['not-taken', 'unheard'])),
  unknown: v.optional(v.string()),
  cancelWanted: v.optional(v.boolean()),
  card: v.optional(message),
  videoId: v.optional(v.string()),
  bytes: v.optional(v.number()),
  posted: v.optional(message),
  reason: v.optional(v.string()),
  due: v.optional(v.number()),
});

const shape = v.object({ body: v.object({ S: v.string() }) });
const pointer = v.object({ sk: v.object({ S: v.string() }) });

/** The id of the job that `wish` of this person asks for: the same for the same wish, however often it comes. */
export function jobIdOf({ platform, workspace, user }: JobRequester, wish: string): JobId {
  const found = jobId(`${hash([platform, workspace, user]).slice(0, 16)}-${hash([wish]).slice(0, 20)}`);
  if (found === undefined) throw new Error('unreachable: a hash is hexadecimal');
  return found;
}

/** What is stored of a callback's secret. */
export const secretHashOf = (secret: string): string => hash([secret]);

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The partition that holds all jobs of a person. */
export const personKey = (person: JobRequester): Key['pk'] => jobKey(jobIdOf(person, '')).pk;

export const pointerKey = (job: Pick<Job, 'thread' | 'id'>): Key => ({
  pk: { S: threadKey(job.thread) },
  sk: { S: VIDEO + job.id },
});

/** The first and last sort key of a thread's jobs. */
export const POINTERS = { first: VIDEO, last: `${VIDEO}~` } as const;

export function jobItem(job: Job, ttl: number): Item {
  return {
    ...jobKey(job.id),
    v: numeral(job.version),
    body: { S: JSON.stringify(job) },
    ...(job.due === undefined ? {} : { open: { S: OPEN_JOBS }, due: numeral(job.due / 1000) }),
    ttl: numeral(ttl),
  };
}

/** Throws when the item is not a job's. */
export const readJob = (item: Item): Job => v.parse(body, JSON.parse(v.parse(shape, item).body.S));

/** The job that an item of a thread names. */
export const readPointer = (item: Item): JobId | undefined =>
  jobId(v.parse(pointer, item).sk.S.slice(VIDEO.length));
