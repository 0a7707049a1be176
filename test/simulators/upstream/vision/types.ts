import type { JsonObject } from '../json.ts';

/** The job types: the last path segment of a submit. */
export const OPERATIONS = ['image-to-video', 'text-to-image', 'edit', 'text-to-video'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A model that makes videos or pictures. */
export type MediaModel = {
  /** Its path segment. */
  readonly id: string;
  readonly operation: Operation;
  /** US dollars per request, as a decimal string. */
  readonly price?: string | undefined;
};

export const MEDIA_MODELS: readonly MediaModel[] = [
  { id: 'model-a-video', operation: 'image-to-video' },
  { id: 'model-a-image', operation: 'text-to-image' },
  { id: 'model-a-edit', operation: 'edit' },
  { id: 'model-a-film', operation: 'text-to-video' },
];

/** A video or picture job. Its state follows from the clock until something ends it. */
export type Job = {
  readonly id: string;
  readonly user: string;
  readonly model: string;
  readonly operation: Operation;
  /** Kept as it came. */
  readonly input: JsonObject;
  readonly webhookUrl: string | null;
  /** ms since 1970. */
  readonly submittedAt: number;
  readonly startsAt: number;
  readonly endsAt: number;
  /** Where the service was asked, for the addresses it gives back. */
  readonly origin: string;
  readonly videoId: string;
  /** It will fail so. */
  failure: string | undefined;
  cancelledAt: number | undefined;
};

export type JobStatus = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

export type Submit = { readonly at: number; readonly handle: JsonObject; readonly request: string };

/** A webhook delivery. */
export type Delivery = {
  readonly jobId: string;
  readonly url: string;
  body: string;
  /** ms since 1970. */
  dueAt: number;
  attempts: number;
  /** The response statuses; 0 without a response. */
  readonly answers: number[];
  done: boolean;
};

export type StoredVideo = {
  readonly id: string;
  readonly storedAt: number;
  readonly origin: string;
  readonly metadata: JsonObject | null;
  readonly indexing: 'pending' | 'indexing' | 'indexed' | 'failed' | 'by-clock' | null;
  readonly indexingType: 'fast_search' | 'qa_and_search' | 'qa' | 'reels' | null;
  readonly groupId: string | null;
};
