import type { TargetMessage } from '../domain/index.ts';
import type { JobId, JobRequester, MediaModel } from '../video/jobs/index.ts';
import type { ObjectStore, StoredObject } from '../aws/index.ts';
import type { Jobs, KeyPlace, NotePlace } from '../storage/index.ts';
import type { Vision, VisionEndpoint } from '../upstream/index.ts';

/** Whether and how videos are made. */
export type VideoService = Videos | VideosDisabled;

/** Of a deployment without a model or service for videos. It may have had one: what is stored of that time can still be exported and erased, and its retention ends. */
export type VideosDisabled = {
  readonly enabled: false;
  readonly jobs: Pick<Jobs, 'find' | 'listByPerson' | 'listByThread' | 'save' | 'remove'>;
  /** The bucket of the deployment. */
  readonly media: Pick<ObjectStore, 'remove'>;
  /** Retention of a video in the bucket, in days. */
  readonly days: number;
};

export const videosDisabled = (stored: Omit<VideosDisabled, 'enabled'>): VideosDisabled => ({
  ...stored,
  enabled: false,
});

/** What making videos needs beside what answers need. */
export type Videos = {
  readonly enabled: true;
  readonly jobs: Jobs;
  /** The client of the video service with the API key of that name, or with the default key. */
  readonly vision: (
    key?: string,
  ) => Pick<Vision, 'submit' | 'status' | 'result' | 'cancel' | 'list' | 'video' | 'call'>;
  /** The name of the API key of a workspace. */
  readonly keyOf: (home: KeyPlace) => Promise<string | undefined>;
  /** Notes that the service rejected the key of that name with this status. Resolves with whether there is another key. */
  readonly rejectKey: (key: string, status: number | undefined) => Promise<boolean>;
  /** The bucket of the deployment. */
  readonly media: ObjectStore;
  /** Downloads from a presigned URL of the service, without credentials. Rejects with VideoUnreachableError. */
  readonly fetch: (address: string) => Promise<FetchedVideo>;
  /** The configured models, and those that the service lists. The first of an operation is its default. Never rejects. */
  readonly models: () => Promise<readonly MediaModel[]>;
  /** Whether there is, or the service may list, a model that makes a video of a picture. */
  readonly animates: boolean;
  /** The uploads, searches and clips that the deployment enabled. */
  readonly library: readonly VisionEndpoint[];
  /** How the image is sent: as a URL of the bucket, or as a data URL. */
  readonly pictureAs: 'url' | 'data';
  /** Retention of a video in the bucket, in days. */
  readonly days: number;
  /** The secret in the callback URL of a job: the same for the same job. */
  readonly secretOf: (id: JobId) => Promise<string>;
  readonly hashOf: (secret: string) => string;
  readonly callbackAddress: (id: JobId, secret: string) => string;
  /** The message that a modal is about, which a front opened for that interaction of that person. */
  readonly findTargetMessage: (call: string, place: NotePlace) => Promise<TargetMessage | undefined>;
  /** The idempotency key of a person's request: the same for the same chat event. */
  readonly submissionKey: (by: JobRequester, requestKey: string) => string;
};

/** A downloaded file; its length may be unknown. */
export type FetchedVideo = Omit<StoredObject, 'bytes'> & { readonly bytes: number | undefined };

/** The file cannot be downloaded. `isPermanent`: a retry cannot help. */
export class VideoUnreachableError extends Error {
  override readonly name = 'VideoUnreachableError';
  readonly isPermanent: boolean;
  constructor(why: string, isPermanent: boolean) {
    super(why);
    this.isPermanent = isPermanent;
  }
}
