import type { TargetMessage } from '../domain/index.ts';
import type { JobId, VideoModel } from '../video/jobs/index.ts';
import type { ObjectStore, StoredObject } from '../aws/s3.ts';
import type { Jobs, KeyPlace, NotePlace } from '../storage/index.ts';
import type { Vision } from '../upstream/index.ts';

/** Whether and how videos are made. */
export type VideoService = Videos | typeof videosDisabled;

/** Of a deployment without a model or service for videos. */
export const videosDisabled = { enabled: false } as const;

/** What making videos needs beside what answers need. */
export type Videos = {
  readonly enabled: true;
  readonly jobs: Jobs;
  /** The service, asked by the key of that name; by the usual one, where none is named. */
  readonly vision: (key?: string) => Pick<Vision, 'submit' | 'status' | 'result' | 'cancel' | 'video'>;
  /** The name of the key by which a workspace asks the service. */
  readonly keyOf: (home: KeyPlace) => Promise<string | undefined>;
  /** The service refused the key of that name, with this status. Resolves with whether there is another. */
  readonly refused: (key: string, status: number | undefined) => Promise<boolean>;
  /** Our own bucket. */
  readonly media: ObjectStore;
  /** Opens the file at a presigned address of the service, without any credential. Rejects with VideoUnreachable. */
  readonly fetch: (address: string) => Promise<FetchedVideo>;
  /** The first is the usual one. */
  readonly models: readonly VideoModel[];
  /** How the picture is handed over: an address in our bucket, or its content. */
  readonly pictureAs: 'url' | 'data';
  /** How long a video stays in the bucket. */
  readonly days: number;
  /** What makes the address of a job's callback hard to guess: the same for the same job. */
  readonly secretOf: (id: JobId) => Promise<string>;
  readonly hashOf: (secret: string) => string;
  readonly callbackAddress: (id: JobId, secret: string) => string;
  /** The message that a form is about which a front opened for that call of that person. */
  readonly pointed: (call: string, place: NotePlace) => Promise<TargetMessage | undefined>;
  /** A key that no job has had. */
  readonly newKey: () => string;
};

/** A file whose length nobody may have told. */
export type FetchedVideo = Omit<StoredObject, 'bytes'> & { readonly bytes: number | undefined };

/** The file is not to be had there. `forever`: asking again changes nothing. */
export class VideoUnreachable extends Error {
  override readonly name = 'VideoUnreachable';
  readonly forever: boolean;
  constructor(why: string, forever: boolean) {
    super(why);
    this.forever = forever;
  }
}
