import type { VideoContext } from './context.ts';
import type { VideoTask, TaskResult } from '../domain/index.ts';
import { applyReport, isTerminal, isTooOld, type Job, jobId, nextPoll, findVideo } from './jobs/index.ts';
import { VideoUnreachableError } from '../ports/index.ts';
import { ConditionFailedError } from '../storage/index.ts';
import { type JobStatus, UpstreamError } from '../upstream/index.ts';
import { deliverVideo, recheckDelivered } from './deliver.ts';
import { submitJob } from './submit-job.ts';
import { endJob, type EnabledVideoContext, updateJobCard } from './job-card-updates.ts';
import { storeResult } from './store-result.ts';
import { formatFailureReason, getJobLocale, formatMediaText, withDetails } from './display/labels.ts';
import { failureFacts } from '../chat/index.ts';

/** A service may not know a new job for a moment; after this time, the job is lost. */
const NOT_FOUND_GRACE_MS = 5 * 60_000;
const DONE: TaskResult = { kind: 'done' };
const CONFLICT_RETRY_MS = 1_000;
/** Most state changes in one task; more would be a bug. */
const MAX_MOVES = 12;

/**
 * Advances a job until it has to wait: submits it, polls it, stores the result, posts it. May be interrupted after any step
 * and delivered again; duplicate or late callbacks and polls change nothing. Where videos are switched off, only the retention of
 * those of before ends.
 */
export async function advanceJob(task: VideoTask, context: VideoContext): Promise<TaskResult> {
  const { videos } = context;
  const id = jobId(task.jobId);
  if (id === undefined) return DONE;
  try {
    let job = await videos.jobs.find(id);
    if (!videos.enabled) {
      if (job && isTerminal(job.state) && !isDone(job, context.time.now()))
        await recheckDelivered(job, context);
      return DONE;
    }
    const enabledContext: EnabledVideoContext = { ...context, videos };
    const isRetry = job?.state === 'delivering';
    for (let moves = 0; job && !isDone(job, context.time.now()) && moves < MAX_MOVES; moves += 1) {
      const next: Job | undefined = await step(job, { isRetry, quiet: task.quiet === true }, enabledContext);
      if (!next) return DONE;
      job = next;
    }
    return DONE;
  } catch (error) {
    if (error instanceof ConditionFailedError) return { kind: 'later', afterMs: CONFLICT_RETRY_MS };
    throw error;
  }
}

/** Whether nothing is due; a finished job may have one more check. */
const isDone = ({ state, due = Infinity }: Job, now: number): boolean => isTerminal(state) && due > now;

type JobCheck = {
  /** Another worker started the delivery. */
  readonly isRetry: boolean;
  /** The elapsed time is not updated on the card. */
  readonly quiet: boolean;
};

/** Executes one step. Returns the job, or undefined if it has to wait. */
function step(
  job: Job,
  { isRetry, quiet }: JobCheck,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  if (isTerminal(job.state)) return recheckDelivered(job, context);
  if (job.state === 'proposed') return Promise.resolve(undefined);
  if (job.state === 'requested') return submitJob(job, context);
  return job.state === 'delivering' ? deliverVideo(job, isRetry, context) : checkJob(job, quiet, context);
}

/** Polls the service. */
async function checkJob(job: Job, quiet: boolean, context: EnabledVideoContext): Promise<Job | undefined> {
  const { videos, time, log } = context;
  const { handle, submittedAt = job.createdAt } = job;
  if (!handle) return endJob(job, 'failed', formatFailureReason(job, 'lost'), context);
  const wait: SaveAndWait = (change = {}) =>
    videos.jobs.save(job, { ...change, due: nextPoll(submittedAt, time.now()) });
  const tooOld = isTooOld(submittedAt, time.now());
  // A cancelled or expired job must not cause more cost.
  if (job.isCancelRequested === true || tooOld)
    await videos.vision(job.keyName).cancel(handle).catch(logUpstreamError(context));
  try {
    const status = await findStatus(videos.vision(job.keyName), handle);
    return await applyStatus(job, status, { tooOld, quiet, wait }, context);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    log('video.status-failed', { job: job.id, error: error.kind, ...failureFacts(error) });
    if (error.kind === 'not-found' && time.now() - submittedAt > NOT_FOUND_GRACE_MS) {
      // Some services forget a job that is cancelled.
      if (job.isCancelRequested === true) return endJob(job, 'cancelled', undefined, context);
      return endJob(
        job,
        'failed',
        withDetails(formatFailureReason(job, 'forgotten'), failureFacts(error), getJobLocale(job)),
        context,
      );
    }
    if (tooOld) return endJob(job, 'expired', formatFailureReason(job, 'expired'), context);
    const waiting = await wait({ serviceProblem: 'unheard' });
    if (job.serviceProblem === undefined) await updateJobCard(waiting, context);
    return undefined;
  }
}

/** Returns the status of a job. If its own address is not found, the list of the key's jobs may still have it. */
async function findStatus(
  vision: ReturnType<EnabledVideoContext['videos']['vision']>,
  handle: NonNullable<Job['handle']>,
): Promise<JobStatus> {
  try {
    return await vision.status(handle);
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'not-found') throw error;
    const listed = (await vision.list()).find(({ requestId }) => requestId === handle.requestId);
    if (!listed) throw error;
    return listed;
  }
}

type SaveAndWait = (change?: Partial<Job>) => Promise<Job>;
type CheckOptions = { readonly tooOld: boolean; readonly quiet: boolean; readonly wait: SaveAndWait };

/**
 * How long (ms) the card is updated with the elapsed time alone. Discord limits edits of messages that are older than an
 * hour (error 30046).
 */
const REFRESH_WINDOW_MS = 50 * 60_000;

async function applyStatus(
  job: Job,
  status: JobStatus,
  { tooOld, quiet, wait }: CheckOptions,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  const update = applyReport(job.state, job.place, status);
  if (update.kind === 'done') return fetchResult(job, context, wait, tooOld);
  if (update.kind === 'move' && update.to === 'cancelled') {
    // We may have cancelled it: for the person, or because it expired.
    if (job.isCancelRequested === true) return endJob(job, 'cancelled', undefined, context);
    const [state, why] = tooOld
      ? (['expired', 'expired'] as const)
      : (['cancelled', 'cancelled-there'] as const);
    return endJob(job, state, formatFailureReason(job, why), context);
  }
  if (update.kind === 'move' && update.to === 'failed') {
    const why = serviceReason(job, status) ?? formatFailureReason(job, 'failed');
    const facts = { requestId: job.handle?.requestId };
    return endJob(job, 'failed', withDetails(why, facts, getJobLocale(job)), context);
  }
  if (tooOld) return endJob(job, 'expired', formatFailureReason(job, 'expired'), context);
  const now = context.time.now();
  const seen = { statusReadAt: now, serviceProblem: undefined };
  if (update.kind === 'move') {
    await updateJobCard(await wait({ ...seen, state: update.to, place: update.place }), context);
    return undefined;
  }
  const unknown = update.unknown?.slice(0, 40);
  if (unknown !== undefined && unknown !== job.unknown) {
    context.log('video.status-unknown', { job: job.id, status: unknown });
  }
  const waiting = await wait({ ...seen, unknown });
  const { submittedAt = job.createdAt } = job;
  const refreshes = !quiet && now - submittedAt < REFRESH_WINDOW_MS;
  if (refreshes || job.serviceProblem !== undefined) await updateJobCard(waiting, context);
  return undefined;
}

/** Returns what the service says about a failure, as text for people; undefined if it says nothing. */
function serviceReason(job: Job, { error }: Pick<JobStatus, 'error'>): string | undefined {
  const words = error?.trim().slice(0, 300).toWellFormed();
  return words ? formatMediaText(job, 'service-says', getJobLocale(job), { words }) : undefined;
}

/** Copies the finished video or picture to our bucket before its URL expires. */
async function fetchResult(
  job: Job,
  context: EnabledVideoContext,
  wait: SaveAndWait,
  tooOld: boolean,
): Promise<Job | undefined> {
  const { videos, log } = context;
  if (!job.handle) return undefined;
  try {
    const vision = videos.vision(job.keyName);
    const result = await vision.result(job.handle);
    const location = findVideo(result.value);
    if (!location) {
      const why = serviceReason(job, result) ?? formatFailureReason(job, 'no-video');
      return await endJob(job, 'failed', why, context);
    }
    const { url } = location.kind === 'url' ? location : await vision.video(location.videoId);
    const file = await storeResult(job, url, videos);
    if (typeof file === 'string') return await endJob(job, 'failed', formatFailureReason(job, file), context);
    const delivering = await videos.jobs.save(job, {
      state: 'delivering',
      videoId: location.videoId,
      ...file,
      serviceProblem: undefined,
      due: context.time.now() + DELIVERY_RETRY_MS,
    });
    await updateJobCard(delivering, context);
    return delivering;
  } catch (error) {
    const isUnreachable = error instanceof UpstreamError || error instanceof VideoUnreachableError;
    if (!isUnreachable) throw error;
    log('video.download-failed', { job: job.id, error: error.name, ...failureFacts(error) });
    // Some services report a failed job as completed, and its failure as a 4xx in place of the result.
    if (error instanceof UpstreamError && error.kind === 'bad-request') {
      const why = withDetails(formatFailureReason(job, 'refused'), failureFacts(error), getJobLocale(job));
      return endJob(job, 'failed', why, context);
    }
    if (tooOld || (error instanceof VideoUnreachableError && error.isPermanent)) {
      return endJob(job, 'failed', formatFailureReason(job, 'no-video'), context);
    }
    const waiting = await wait({ serviceProblem: 'unheard' });
    if (job.serviceProblem === undefined) await updateJobCard(waiting, context);
    return undefined;
  }
}

/** When the sweeper retries an interrupted delivery. */
const DELIVERY_RETRY_MS = 5 * 60_000;

const logUpstreamError =
  ({ log }: Pick<EnabledVideoContext, 'log'>) =>
  (error: unknown): void => {
    if (!(error instanceof UpstreamError)) throw error;
    log('video.status-failed', { error: error.kind, ...failureFacts(error) });
  };
