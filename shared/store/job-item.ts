import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import {
  attachmentSchema,
  messageId,
  threadKey,
  threadSchema,
  userId,
  workspaceId,
} from '../conversation/index.ts';
import { type Job, type JobId, jobId, type Person, STATES } from '../jobs/index.ts';
import type { Item, Key } from './turn-item.ts';
import { numeral } from './turn-table.ts';

/**
 * A job in the `conversations` table, apart from all threads.
 *
 *   pk    VIDEO# and who asked, as a hash      sk    JOB# and what asked for it, as a hash
 *   v     its version                          body  all of it, as JSON
 *   open,due  that it is to be looked at, and when (s)      ttl  when it expires (s)
 *
 * And one item in the thread's own partition, which says that the thread has this job: sk VIDEO# and the job's id.
 */
const JOB = 'JOB#';
const VIDEO = 'VIDEO#';

/** What the sparse index calls jobs that are not over. */
export const OPEN_JOBS = 'video';

const message = z.pipe(z.string(), z.transform(messageId));
const id = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const found = jobId(text);
    if (found !== undefined) return found;
    context.issues.push({ code: 'custom', message: 'not the id of a job', input: text });
    return z.NEVER;
  }),
);

const account = z.object({ book: z.string(), account: z.string() });

const body = z.object({
  id,
  by: z.object({
    platform: z.enum(['slack', 'discord']),
    workspace: z.pipe(z.string(), z.transform(workspaceId)),
    user: z.pipe(z.string(), z.transform(userId)),
  }),
  thread: threadSchema,
  asked: message,
  state: z.enum(STATES),
  version: z.number(),
  createdAt: z.number(),
  locale: z.optional(z.string()),
  prompt: z.string(),
  model: z.string(),
  price: z.optional(z.string()),
  picture: attachmentSchema,
  accounts: z.optional(z.array(account)),
  agreedAt: z.optional(z.number()),
  input: z.optional(z.string()),
  key: z.string(),
  keyName: z.optional(z.string()),
  waits: z.optional(z.boolean()),
  triedAt: z.optional(z.number()),
  secretHash: z.optional(z.string()),
  submittedAt: z.optional(z.number()),
  handle: z.optional(
    z.object({
      requestId: z.string(),
      status: z.string(),
      statusUrl: z.string(),
      responseUrl: z.string(),
      cancelUrl: z.string(),
    }),
  ),
  place: z.optional(z.number()),
  unknown: z.optional(z.string()),
  cancelWanted: z.optional(z.boolean()),
  card: z.optional(message),
  videoId: z.optional(z.string()),
  bytes: z.optional(z.number()),
  posted: z.optional(message),
  reason: z.optional(z.string()),
  due: z.optional(z.number()),
});

const shape = z.object({ body: z.object({ S: z.string() }) });
const pointer = z.object({ sk: z.object({ S: z.string() }) });

/** The id of the job that `wish` of this person asks for: the same for the same wish, however often it comes. */
export function jobIdOf({ platform, workspace, user }: Person, wish: string): JobId {
  const found = jobId(`${hash([platform, workspace, user]).slice(0, 16)}-${hash([wish]).slice(0, 20)}`);
  if (found === undefined) throw new Error('unreachable: a hash is hexadecimal');
  return found;
}

/** What is stored of a callback's secret. */
export const secretHashOf = (secret: string): string => hash([secret]);

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function jobKey(of: JobId): Key {
  const [person = '', wish = ''] = of.split('-');
  return { pk: { S: VIDEO + person }, sk: { S: JOB + wish } };
}

/** The partition that holds all jobs of a person. */
export const personKey = (person: Person): Key['pk'] => jobKey(jobIdOf(person, '')).pk;

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
export const readJob = (item: Item): Job => body.parse(JSON.parse(shape.parse(item).body.S));

/** The job that an item of a thread names. */
export const readPointer = (item: Item): JobId | undefined =>
  jobId(pointer.parse(item).sk.S.slice(VIDEO.length));
