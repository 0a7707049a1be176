import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  fromStoredNames,
  maskedCountsSchema,
  messageId,
  type StoredNames,
  storedPictureSchema,
  threadKey,
  threadSchema,
  toStoredNames,
  userId,
  workspaceId,
  PLATFORMS,
} from '../../domain/index.ts';
import {
  type Job,
  type JobId,
  jobId,
  type JobRequester,
  JOB_STATES,
  MEDIA_OPERATIONS,
} from '../../video/jobs/index.ts';
import { jobKey, VIDEO, type Item, type Key, numberValue } from '../keys/item-keys.ts';

/**
 * A job in the `conversations` table, outside of threads.
 *
 *    pk    VIDEO# and a hash of the person     sk    JOB# and a hash of the request key
 *    v     its version                         body  the job as JSON
 *    open,due  needs a look, and when (s)      ttl  when it expires (s)
 *
 * A pointer in the thread's partition names the job: sk VIDEO# and the job id; by and ws, the person and their
 * workspace.
 */

/** The value of `open` for active jobs. */
export const OPEN_JOBS = 'video';

const message = v.pipe(v.string(), v.transform(messageId));
const id = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const parsedId = jobId(dataset.value);
    if (parsedId !== undefined) return parsedId;
    addIssue({ message: 'not the id of a job' });
    return NEVER;
  }),
);

const STORED_NAMES: StoredNames = {
  requestMessage: 'asked',
  confirmedAt: 'agreedAt',
  isCancelRequested: 'cancelWanted',
  isRateLimited: 'waits',
  firstAttemptAt: 'triedAt',
  statusReadAt: 'seenAt',
  serviceProblem: 'trouble',
  accounts: ['accounts', { partition: 'book' }],
};

const account = v.object({ partition: v.string(), account: v.string() });

const body = v.object({
  id,
  by: v.object({
    platform: v.picklist(PLATFORMS),
    workspace: v.pipe(v.string(), v.transform(workspaceId)),
    user: v.pipe(v.string(), v.transform(userId)),
  }),
  thread: threadSchema,
  requestMessage: message,
  state: v.picklist(JOB_STATES),
  version: v.number(),
  createdAt: v.number(),
  locale: v.optional(v.string()),
  prompt: v.string(),
  promptAuthors: v.optional(v.array(v.pipe(v.string(), v.transform(userId)))),
  model: v.string(),
  price: v.optional(v.string()),
  operation: v.optional(v.picklist(MEDIA_OPERATIONS)),
  picture: v.optional(storedPictureSchema),
  accounts: v.optional(v.array(account)),
  confirmedAt: v.optional(v.number()),
  input: v.optional(v.string()),
  key: v.string(),
  keyName: v.optional(v.string()),
  isRateLimited: v.optional(v.boolean()),
  firstAttemptAt: v.optional(v.number()),
  wasOnlyRateLimited: v.optional(v.boolean()),
  secretHash: v.optional(v.string()),
  masked: v.optional(maskedCountsSchema),
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
  statusReadAt: v.optional(v.number()),
  serviceProblem: v.optional(v.picklist(['not-taken', 'unheard'])),
  unknown: v.optional(v.string()),
  isCancelRequested: v.optional(v.boolean()),
  card: v.optional(message),
  videoId: v.optional(v.string()),
  bytes: v.optional(v.number()),
  mimetype: v.optional(v.string()),
  posted: v.optional(message),
  reason: v.optional(v.string()),
  due: v.optional(v.number()),
});

const shape = v.object({ body: v.object({ S: v.string() }) });
const pointer = v.object({ sk: v.object({ S: v.string() }) });

/** Returns the id of the job for a request of a person: the same request always gives the same id. */
export function createJobId({ platform, workspace, user }: JobRequester, requestKey: string): JobId {
  const createdId = jobId(
    `${hash([platform, workspace, user]).slice(0, 16)}-${hash([requestKey]).slice(0, 20)}`,
  );
  if (createdId === undefined) throw new Error('unreachable: a hash is hexadecimal');
  return createdId;
}

/** Returns the hash of a callback's secret, which is stored instead of the secret. */
export const hashSecret = (secret: string): string => hash([secret]);

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Returns the partition of a person's jobs. */
export const personPartition = (person: JobRequester): Key['pk'] => jobKey(createJobId(person, '')).pk;

export const jobPointerKey = (job: Pick<Job, 'thread' | 'id'>): Key => ({
  pk: { S: threadKey(job.thread) },
  sk: { S: VIDEO + job.id },
});

/** The sort keys of a thread's job pointers. */
export const POINTER_RANGE = { first: VIDEO, last: `${VIDEO}~` } as const;

/** Serializes a job for the attribute `body` of its item, under the stored names. */
export const serializeJob = (job: Job): string => JSON.stringify(toStoredNames(job, STORED_NAMES));

export function createJobItem(job: Job, ttl: number): Item {
  return {
    ...jobKey(job.id),
    v: numberValue(job.version),
    body: { S: serializeJob(job) },
    ...(job.due === undefined ? {} : { open: { S: OPEN_JOBS }, due: numberValue(job.due / 1000) }),
    ttl: numberValue(ttl),
  };
}

/** Throws if the item is not a job. */
export const readJob = (item: Item): Job =>
  v.parse(body, fromStoredNames(JSON.parse(v.parse(shape, item).body.S), STORED_NAMES));

/** Returns the job of a pointer's key; undefined for other keys. */
export const jobKeyFromPointer = ({ sk }: Key): Key | undefined => {
  const jobOfPointer = sk.S.startsWith(VIDEO) ? jobId(sk.S.slice(VIDEO.length)) : undefined;
  return jobOfPointer && jobKey(jobOfPointer);
};

/** Returns the job that a pointer names. */
export const readPointer = (item: Item): JobId | undefined =>
  jobId(v.parse(pointer, item).sk.S.slice(VIDEO.length));
