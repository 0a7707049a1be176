import { directivesIn, numberOf } from '../directives.ts';
import { isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { State } from '../state.ts';
import type { Job, JobStatus, Operation, StoredVideo } from './types.ts';
import { signedPicture, signedUrl } from './videos.ts';

export type Submission = {
  readonly user: string;
  readonly model: string;
  readonly operation: Operation;
  readonly input: JsonObject;
  readonly webhookUrl: string | null;
  readonly origin: string;
};

/** Queues a job. `[[sim:fail=why]]`, `[[sim:queue=ms]]` and `[[sim:run=ms]]` in the prompt control it. */
export function submit(state: State, submission: Submission): Job {
  const prompt = submission.input['prompt'];
  const durations = new Map(
    directivesIn(isText(prompt) ? prompt : '').map(({ name, value }) => [name, value ?? '']),
  );
  const now = state.now();
  const startsAt = now + numberOf(durations.get('queue'), state.settings.queueMs);
  const job: Job = {
    ...submission,
    id: state.id('vid-req-', 20),
    submittedAt: now,
    startsAt,
    endsAt: startsAt + numberOf(durations.get('run'), state.settings.runMs),
    videoId: state.id('video-', 20),
    failure: durations.has('fail')
      ? durations.get('fail') || 'The picture could not be animated.'
      : undefined,
    cancelledAt: undefined,
  };
  state.jobs.set(job.id, job);
  const kind = makesPicture(submission.operation) ? 'picture' : 'video';
  state.metered.push({ at: now, kind, user: submission.user, what: submission.model });
  return job;
}

/** The state of a job. */
export function statusOf(job: Job, now: number): JobStatus {
  if (job.cancelledAt !== undefined) return 'CANCELLED';
  if (now < job.startsAt) return 'IN_QUEUE';
  if (now < job.endsAt) return 'IN_PROGRESS';
  return job.failure === undefined ? 'COMPLETED' : 'FAILED';
}

/** Cancels a job that has not ended. */
export function cancel(job: Job, now: number): void {
  const status = statusOf(job, now);
  if (status === 'IN_QUEUE' || status === 'IN_PROGRESS') job.cancelledAt = now;
}

/** The displayed status: some services say COMPLETED for every end. */
export function shownStatus(state: State, job: Job): JobStatus {
  const status = statusOf(job, state.now());
  const ended = status === 'FAILED' || status === 'CANCELLED';
  return ended && state.settings.endings === 'completed' ? 'COMPLETED' : status;
}

/** The handle in the response to a submit. */
export function handleOf({ settings }: State, job: Job): JsonObject {
  const root = `${settings.handleOrigin ?? job.origin}/v2/inference/requests/${job.id}`;
  return {
    request_id: job.id,
    status: 'IN_QUEUE',
    status_url: `${root}/status`,
    response_url: root,
    cancel_url: `${root}/cancel`,
  };
}

export function statusBody(state: State, job: Job): JsonObject {
  const now = state.now();
  const waiting = [...state.jobs.values()].filter(
    (other) => statusOf(other, now) === 'IN_QUEUE' && other.startsAt < job.startsAt,
  );
  return {
    request_id: job.id,
    status: shownStatus(state, job),
    queue_position: statusOf(job, now) === 'IN_QUEUE' ? waiting.length : null,
    logs: null,
    error: errorOf(job, now),
    metrics: metricsOf(job, now),
  };
}

/** The result: `output` is null until there is one. Finds the video in the store from then on. */
export function resultBody(state: State, job: Job): JsonObject {
  const now = state.now();
  const done = statusOf(job, now) === 'COMPLETED';
  return {
    request_id: job.id,
    status: shownStatus(state, job),
    output: done ? outputOf(state, job) : null,
    error: errorOf(job, now),
    metrics: metricsOf(job, now),
  };
}

function errorOf(job: Job, now: number): string | null {
  const status = statusOf(job, now);
  if (status === 'CANCELLED') return 'The request was cancelled.';
  return status === 'FAILED' ? (job.failure ?? null) : null;
}

function metricsOf(job: Job, now: number): JsonObject | null {
  return statusOf(job, now) === 'COMPLETED' ? { inference_time: (job.endsAt - job.startsAt) / 1000 } : null;
}

const makesPicture = (operation: Operation): boolean => operation === 'text-to-image' || operation === 'edit';

function outputOf(state: State, job: Job): JsonObject {
  if (makesPicture(job.operation))
    return { images: [{ url: signedPicture(state, job), content_type: 'image/png', width: 64, height: 64 }] };
  const video = stored(state, job);
  return {
    video_id: job.videoId,
    video: { url: signedUrl(state, video), content_type: 'video/mp4', file_name: `${job.videoId}.mp4` },
  };
}

function stored(state: State, job: Job): StoredVideo {
  const video = state.videos.get(job.videoId);
  if (video !== undefined) return video;
  const prompt = job.input['prompt'];
  const storedVideo: StoredVideo = {
    id: job.videoId,
    storedAt: job.endsAt,
    origin: job.origin,
    metadata: { video_name: `${job.videoId}.mp4`, description: isText(prompt) ? prompt : null },
    indexing: 'by-clock',
    indexingType: 'fast_search',
    groupId: null,
  };
  state.videos.set(storedVideo.id, storedVideo);
  return storedVideo;
}
