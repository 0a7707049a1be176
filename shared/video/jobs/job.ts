import type { Attachment, MessageId, PlatformName, Thread, UserId, WorkspaceId } from '../../domain/index.ts';
import type { JobState } from './state.ts';

/** The longest description of a video that is handed on, in characters. */
export const MAX_PROMPT_LENGTH = 1_500;

/** Which person: a job belongs to who asked for it. */
export type JobRequester = {
  readonly platform: PlatformName;
  readonly workspace: WorkspaceId;
  readonly user: UserId;
};

/** Who wants to see or change a job, and where they called. */
export type JobCaller = {
  readonly platform: PlatformName;
  /** The workspace that it was called in. */
  readonly workspace: WorkspaceId;
  readonly by: Pick<JobRequester, 'workspace' | 'user'>;
  /** Whether they are known to administer that workspace. */
  readonly admin: boolean;
};

/** What of a job says who may change it. A front reads it without a validator: what is missing lets nobody in. */
export type JobOwnership = {
  readonly by: { readonly [K in keyof JobRequester]?: unknown };
  readonly thread: { readonly [K in 'platform' | 'workspace']?: unknown };
};

/**
 * Whether a person may see the prompt of a job and change it: whoever asked for it, and admins, in the workspace that its thread belongs
 * to. A job's id is no secret, so it alone is not enough. A person can be in shared channels of several workspaces: none changes what is in another.
 */
export function mayChangeJob(
  { by, thread }: JobOwnership,
  { platform, workspace, by: caller, admin }: JobCaller,
): boolean {
  const isHere = thread.platform === platform && thread.workspace === workspace;
  return isHere && (admin || (by.workspace === caller.workspace && by.user === caller.user));
}

/** Names a job: to the store, in buttons, in the callback's address. Not a secret. */
export type JobId = string & { readonly __brand: 'JobId' };

const JOB_ID = /^[0-9a-f]{16}-[0-9a-f]{20}$/u;

/** Reads a job's id; undefined for anything else. */
export const jobId = (text: string): JobId | undefined => (isJobId(text) ? text : undefined);
const isJobId = (text: string): text is JobId => JOB_ID.test(text);

/** What the service gave back when it took the job: plain data, checked by its client each time it is used. */
export type JobHandle = {
  readonly requestId: string;
  readonly status: string;
  readonly statusUrl: string;
  readonly responseUrl: string;
  readonly cancelUrl: string;
};

/** An account on which a price is reserved or booked: see the ledger. */
export type JobAccount = { readonly book: string; readonly account: string };

/** Where the price of a job is reserved. */
export type JobAccounts = readonly JobAccount[];

/** A video being made. Times are in ms since 1970. */
export type Job = {
  readonly id: JobId;
  readonly by: JobRequester;
  readonly thread: Thread;
  /** What asked for it: a message, or a call. */
  readonly asked: MessageId;
  readonly state: JobState;
  /** Every write is one higher, and takes place only upon the one before. */
  readonly version: number;
  readonly createdAt: number;
  /** The language of its card: one of those the bot speaks. */
  readonly locale?: string | undefined;
  readonly prompt: string;
  readonly model: string;
  /** US dollars, as a decimal string, as estimated when it was asked for. */
  readonly price?: string | undefined;
  /** Absent before the person agreed to the price, and where no accounts are kept. */
  readonly accounts?: JobAccounts | undefined;
  /** When the person agreed. */
  readonly agreedAt?: number | undefined;
  /** The picture, as the platform hands it out. */
  readonly picture: Attachment;
  /** The picture's address in our bucket, the same for every try: a signature made anew would be another request. */
  readonly input?: string | undefined;
  /** The same for every try to hand the job in: kept before the first. */
  readonly key: string;
  /** By which key of the service it was handed in: its name, never the key. No other key knows of the job. */
  readonly keyName?: string | undefined;
  /** It waits for its turn in the limit of the service, and its person was told so. */
  readonly waits?: boolean | undefined;
  /** When it was first tried to hand it in. */
  readonly triedAt?: number | undefined;
  /** A hash of what the callback's address holds; there before the service may know that address. */
  readonly secretHash?: string | undefined;
  readonly submittedAt?: number | undefined;
  readonly handle?: JobHandle | undefined;
  /** How many are before it. */
  readonly place?: number | undefined;
  /** When the service last said how far it is. */
  readonly seenAt?: number | undefined;
  /** The service does not take it (it is tried again), or no longer says how far it is; its person was told so. */
  readonly trouble?: 'not-taken' | 'unheard' | undefined;
  /** A word of the service that nobody knows, so that it is reported once. */
  readonly unknown?: string | undefined;
  /** The person wants it no more. */
  readonly cancelWanted?: boolean | undefined;
  /** The message that shows how far it is. */
  readonly card?: MessageId | undefined;
  readonly videoId?: string | undefined;
  /** The size of the copy in our bucket. */
  readonly bytes?: number | undefined;
  /** The message that holds the video. */
  readonly posted?: MessageId | undefined;
  /** Why it ended without a video: a word of ours. */
  readonly reason?: string | undefined;
  /** When it is to be looked at next; undefined once nothing is left to do. One that is over may be looked at once more. */
  readonly due?: number | undefined;
};

/** Where the bucket keeps what belongs to a job. */
export const inputKey = (id: JobId): string => `inputs/${id}`;
export const resultKey = (id: JobId): string => `results/${id}.mp4`;
