import type { VideoContext } from './context.ts';
import type { VideoTask } from '../domain/index.ts';
import {
  applyReport,
  isTerminal,
  isTooOld,
  type Job,
  jobId,
  nextPoll,
  resultKey,
  findVideo,
} from './jobs/index.ts';
import { ConditionFailedError } from '../storage/index.ts';
import { type JobStatus, UpstreamError } from '../upstream/index.ts';
import { deliverVideo, lookAgain } from './deliver.ts';
import { submitJob } from './submit-job.ts';
import type { TaskResult } from '../context/ports.ts';
import { endJob, type EnabledVideoContext, updateJobCard } from './job-card-updates.ts';
import { storeResult } from './store-result.ts';
import { VideoUnreachable } from '../context/video-ports.ts';
import { reasonText, localeIn } from './labels.ts';
import { localize } from '../i18n/index.ts';

/** A service that has taken a job may know of it a moment later; one that does not know it after this never will. */
const FORGOTTEN_MS = 5 * 60_000;
const DONE: TaskResult = { kind: 'done' };
const SOON_MS = 1_000;
/** A job makes at most this many moves in one look; more would be a mistake. */
const MAX_MOVES = 12;

/**
 * Looks at a job and does whatever is next, until there is nothing to do but wait: hands it in, asks how far it is,
 * fetches what came of it, shows it. It may be broken off after any step and delivered again; hints and looks that come
 * too often or too late find nothing left to do.
 */
export async function advanceJob(task: VideoTask, context: VideoContext): Promise<TaskResult> {
  const { videos } = context;
  const id = jobId(task.job);
  if (!videos.enabled || id === undefined) return DONE;
  const making: EnabledVideoContext = { ...context, videos };
  try {
    let job = await videos.jobs.find(id);
    const begun = job?.state === 'delivering';
    for (let moves = 0; job && !isDone(job, context.time.now()) && moves < MAX_MOVES; moves += 1) {
      const next: Job | undefined = await step(job, { begun, quiet: task.quiet === true }, making);
      if (!next) return DONE;
      job = next;
    }
    return DONE;
  } catch (error) {
    if (error instanceof ConditionFailedError) return { kind: 'later', afterMs: SOON_MS };
    throw error;
  }
}

/** What is over may still be looked at once more. */
const isDone = ({ state, due = Infinity }: Job, now: number): boolean => isTerminal(state) && due > now;

type JobCheck = {
  /** Another worker had begun to deliver it. */
  readonly begun: boolean;
  /** How long it has taken so far is not shown anew. */
  readonly quiet: boolean;
};

/** The job after one step, or undefined if it has to wait. */
function step(job: Job, { begun, quiet }: JobCheck, context: EnabledVideoContext): Promise<Job | undefined> {
  if (isTerminal(job.state)) return lookAgain(job, context);
  if (job.state === 'proposed') return Promise.resolve(undefined);
  if (job.state === 'requested') return submitJob(job, context);
  return job.state === 'delivering' ? deliverVideo(job, begun, context) : checkJob(job, quiet, context);
}

/** Asks the service how far the job is. */
async function checkJob(job: Job, quiet: boolean, context: EnabledVideoContext): Promise<Job | undefined> {
  const { videos, time, log } = context;
  const { handle, submittedAt = job.createdAt } = job;
  if (!handle) return endJob(job, 'failed', reasonText(job, 'lost'), context);
  const wait: Wait = (change = {}) =>
    videos.jobs.save(job, { ...change, due: nextPoll(submittedAt, time.now()) });
  const tooOld = isTooOld(submittedAt, time.now());
  // A job that nobody waits for any more is not to go on costing.
  if (job.cancelWanted === true || tooOld)
    await videos.vision(job.keyName).cancel(handle).catch(ignored(context));
  try {
    const said = await videos.vision(job.keyName).status(handle);
    return await heardOf(job, said, { tooOld, quiet, wait }, context);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    log('video.status-failed', { job: job.id, error: error.kind });
    if (error.kind === 'not-found' && time.now() - submittedAt > FORGOTTEN_MS) {
      return endJob(job, 'failed', reasonText(job, 'forgotten'), context);
    }
    if (tooOld) return endJob(job, 'expired', reasonText(job, 'expired'), context);
    const waiting = await wait({ trouble: 'unheard' });
    if (job.trouble === undefined) await updateJobCard(waiting, context);
    return undefined;
  }
}

type Wait = (change?: Partial<Job>) => Promise<Job>;
type Waiting = { readonly tooOld: boolean; readonly quiet: boolean; readonly wait: Wait };

/**
 * For how long (ms) the card shows anew how long the job has taken, though nothing else has changed. Discord lets messages of more
 * than an hour be edited rarely (error 30046).
 */
const REFRESHED_FOR_MS = 50 * 60_000;

async function heardOf(
  job: Job,
  said: JobStatus,
  { tooOld, quiet, wait }: Waiting,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  const heard = applyReport(job.state, job.place, said);
  if (heard.kind === 'done') return fetched(job, context, wait, tooOld);
  if (heard.kind === 'move' && heard.to === 'cancelled') {
    // It may be we who cancelled it, because it took too long.
    if (job.cancelWanted === true) return endJob(job, 'cancelled', undefined, context);
    const [state, why] = tooOld
      ? (['expired', 'expired'] as const)
      : (['cancelled', 'cancelled-there'] as const);
    return endJob(job, state, reasonText(job, why), context);
  }
  if (heard.kind === 'move' && heard.to === 'failed') {
    const words = said.error?.trim().slice(0, 300).toWellFormed();
    const why = words ? localize(localeIn(job), 'video.service-says', { words }) : reasonText(job, 'failed');
    return endJob(job, 'failed', why, context);
  }
  if (tooOld) return endJob(job, 'expired', reasonText(job, 'expired'), context);
  const now = context.time.now();
  const seen = { seenAt: now, trouble: undefined };
  if (heard.kind === 'move') {
    await updateJobCard(await wait({ ...seen, state: heard.to, place: heard.place }), context);
    return undefined;
  }
  const unknown = heard.unknown?.slice(0, 40);
  if (unknown !== undefined && unknown !== job.unknown) {
    context.log('video.status-unknown', { job: job.id, status: unknown });
  }
  const waiting = await wait({ ...seen, unknown });
  const { submittedAt = job.createdAt } = job;
  const refreshes = !quiet && now - submittedAt < REFRESHED_FOR_MS;
  if (refreshes || job.trouble !== undefined) await updateJobCard(waiting, context);
  return undefined;
}

/** The service is done: its video is copied before its address expires. */
async function fetched(
  job: Job,
  context: EnabledVideoContext,
  wait: Wait,
  tooOld: boolean,
): Promise<Job | undefined> {
  const { videos, log } = context;
  if (!job.handle) return undefined;
  try {
    const vision = videos.vision(job.keyName);
    const { value } = await vision.result(job.handle);
    const found = findVideo(value);
    if (!found) return await endJob(job, 'failed', reasonText(job, 'no-video'), context);
    const { url } = found.kind === 'url' ? found : await vision.video(found.videoId);
    const bytes = await storeResult(resultKey(job.id), url, videos);
    if (typeof bytes === 'string') return await endJob(job, 'failed', reasonText(job, bytes), context);
    const delivering = await videos.jobs.save(job, {
      state: 'delivering',
      videoId: found.videoId,
      bytes,
      trouble: undefined,
      due: context.time.now() + DELIVER_AGAIN_MS,
    });
    await updateJobCard(delivering, context);
    return delivering;
  } catch (error) {
    const away = error instanceof UpstreamError || error instanceof VideoUnreachable;
    if (!away) throw error;
    log('video.download-failed', { job: job.id, error: error.name });
    if (tooOld || (error instanceof VideoUnreachable && error.forever)) {
      return endJob(job, 'failed', reasonText(job, 'no-video'), context);
    }
    const waiting = await wait({ trouble: 'unheard' });
    if (job.trouble === undefined) await updateJobCard(waiting, context);
    return undefined;
  }
}

/** When the sweeper takes up a delivery that broke off. */
const DELIVER_AGAIN_MS = 5 * 60_000;

const ignored =
  ({ log }: Pick<EnabledVideoContext, 'log'>) =>
  (error: unknown): void => {
    if (!(error instanceof UpstreamError)) throw error;
    log('video.status-failed', { error: error.kind });
  };
