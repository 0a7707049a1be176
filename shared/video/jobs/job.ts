import type {
  Attachment,
  MaskedCounts,
  MessageId,
  PlatformName,
  Thread,
  UserId,
  WorkspaceId,
} from '../../domain/index.ts';
import { makesPicture, type MediaOperation } from './media-models.ts';
import type { JobState } from './state.ts';

/** Longest video prompt, in characters. */
export const MAX_PROMPT_LENGTH = 1_500;

/** The person who requested the job, and so owns it. */
export type JobRequester = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly user: UserId;
};

/** The person who wants to see or change a job, and their workspace. */
export type JobCaller = {
  readonly platform: PlatformName;
  /** The workspace of the interaction. */
  readonly workspace: WorkspaceId;
  readonly by: Pick<JobRequester, 'workspace' | 'user'>;
  /** Whether they are known to administer that workspace. */
  readonly admin: boolean;
};

/** The fields of a job that decide who may change it. The front reads them without validation; missing fields deny access. */
export type JobOwnership = {
  readonly by: { readonly [K in keyof JobRequester]?: unknown };
  readonly thread: { readonly [K in 'platform' | 'workspace']?: unknown };
};

/**
 * Whether a person may see the prompt of a job and change it: the requester and admins, in the workspace of its thread. The
 * id of a job is not secret, so it is not enough. In shared channels, nobody may change jobs of another workspace.
 */
export function mayChangeJob(
  { by, thread }: JobOwnership,
  { platform, workspace, by: caller, admin }: JobCaller,
): boolean {
  const isHere = thread.platform === platform && thread.workspace === workspace;
  return isHere && (admin || (by.workspace === caller.workspace && by.user === caller.user));
}

/** Identifies a job in storage, buttons and the callback URL. Not secret. */
export type JobId = string & { readonly __brand: 'JobId' };

const JOB_ID = /^[0-9a-f]{16}-[0-9a-f]{20}$/u;

/** Parses a job id; undefined if it is not one. */
export const jobId = (text: string): JobId | undefined => (isJobId(text) ? text : undefined);
const isJobId = (text: string): text is JobId => JOB_ID.test(text);

/** The service's response to the submission: plain data; its client checks it on each use. */
export type JobHandle = {
  readonly requestId: string;
  readonly status: string;
  readonly statusUrl: string;
  readonly responseUrl: string;
  readonly cancelUrl: string;
};

/** A ledger account on which a price is reserved or booked. */
export type JobAccount = { readonly partition: string; readonly account: string };

/** The accounts with the reservation of a job. */
export type JobAccounts = readonly JobAccount[];

/** A video being made. Times are in ms since 1970. */
export type Job = {
  readonly id: JobId;
  readonly by: JobRequester;
  readonly thread: Thread;
  /** The message or interaction that requested it. */
  readonly requestMessage: MessageId;
  readonly state: JobState;
  /** Optimistic lock: each write increments it and requires the previous value. */
  readonly version: number;
  readonly createdAt: number;
  /** The locale of its card. */
  readonly locale?: string | undefined;
  /** What it makes. Absent in jobs of earlier versions, which make a video of a picture. */
  readonly operation?: MediaOperation | undefined;
  readonly prompt: string;
  /** People other than the requester whose words the prompt has: an administrator makes their video again, or changes their prompt. */
  readonly promptAuthors?: readonly UserId[] | undefined;
  readonly model: string;
  /** US dollars as a decimal string, estimated at the request. */
  readonly price?: string | undefined;
  /** Absent before the price is confirmed, and if there are no accounts. */
  readonly accounts?: JobAccounts | undefined;
  /** When the person confirmed the price. */
  readonly confirmedAt?: number | undefined;
  /** The picture on the platform; absent if it is made of words alone. */
  readonly picture?: Attachment | undefined;
  /** The presigned URL of the picture in our bucket, the same for every attempt: a new signature would make another request. */
  readonly input?: string | undefined;
  /** The idempotency key of the submission, stored before the first attempt. */
  readonly key: string;
  /** The name (never the value) of the API key of the submission. Other keys do not know the job. */
  readonly keyName?: string | undefined;
  /** It waits for the rate limit of the service; the card says so. */
  readonly isRateLimited?: boolean | undefined;
  /** The first submission attempt. */
  readonly firstAttemptAt?: number | undefined;
  /** The service refused every attempt so far with 429, so it has no job. Absent while an attempt is in progress. */
  readonly wasOnlyRateLimited?: boolean | undefined;
  /** The hash of the secret in the callback URL, stored before the service knows the URL. */
  readonly secretHash?: string | undefined;
  /** The private data that was masked in the prompt that was sent; the card says so. */
  readonly masked?: MaskedCounts | undefined;
  readonly submittedAt?: number | undefined;
  readonly handle?: JobHandle | undefined;
  /** How many jobs are before it in the queue. */
  readonly place?: number | undefined;
  /** The last status from the service. */
  readonly statusReadAt?: number | undefined;
  /** The service does not accept it (it is retried), or reports no status; the card says so. */
  readonly serviceProblem?: 'not-taken' | 'unheard' | undefined;
  /** An unknown status of the service, stored so that it is reported once. */
  readonly unknown?: string | undefined;
  /** The person cancelled it. */
  readonly isCancelRequested?: boolean | undefined;
  /** The message with the job card. */
  readonly card?: MessageId | undefined;
  readonly videoId?: string | undefined;
  /** The size of the copy in our bucket. */
  readonly bytes?: number | undefined;
  /** The type of the copy. Absent for videos of earlier versions, which count as MP4. */
  readonly mimetype?: string | undefined;
  /** The message with the video. */
  readonly posted?: MessageId | undefined;
  /** Why it ended without a video, as text for people. */
  readonly reason?: string | undefined;
  /** The next check; undefined if nothing is left to do. A finished job may have one more check. */
  readonly due?: number | undefined;
};

/** Returns whose words a prompt has, with those of this author, without the requester. */
export function listPromptAuthors(
  { promptAuthors = [] }: Pick<Job, 'promptAuthors'>,
  by: JobRequester,
  author: UserId,
): readonly UserId[] | undefined {
  const others = [...new Set([...promptAuthors, author])].filter((user) => user !== by.user);
  return others.length === 0 ? undefined : others;
}

/** Returns the prompt as a part of the requester's own data; undefined if it has words of other people. */
export const getOwnPrompt = ({ prompt, promptAuthors = [] }: Pick<Job, 'prompt' | 'promptAuthors'>) =>
  promptAuthors.length === 0 ? prompt : undefined;

/** Returns what a job makes. */
export const getOperation = ({ operation = 'image-to-video' }: Pick<Job, 'operation'>): MediaOperation =>
  operation;

/** The bucket keys of a job. */
export const inputKey = (id: JobId): string => `inputs/${id}`;
export const resultKey = (job: Pick<Job, 'id' | 'operation'>): string =>
  makesPicture(getOperation(job)) ? `results/${job.id}` : `results/${job.id}.mp4`;
