import type { MessageId } from '../domain/index.ts';
import type { VideoContext } from './context.ts';
import { inputKey, type Job, getResultFileName, resultKey } from './jobs/index.ts';
import type { Videos } from '../ports/index.ts';
import { resolve } from '../settings/rules/index.ts';
import { CannotPostError, FileUnavailableError, ThreadDeletedError } from '../platforms/ports/index.ts';
import { forgetVideos } from './forget.ts';
import { stopDownload } from './store-result.ts';
import { getStartTime, endJob, MAX_CARD_RETRY_MS, type EnabledVideoContext } from './job-card-updates.ts';
import { formatVideoCaption, createLinkCard } from './display/card.ts';
import { buildHistoryTurn } from './display/history-turn.ts';
import { formatFailureReason } from './display/labels.ts';

/** How long a link to a video is valid. */
export const LINK_HOURS = 1;

/** Returns a link to what a job made. The key of a video ends with `.mp4`, whatever its type is: a browser takes the file name. */
export const createLink = (job: Job, { media }: Pick<Videos, 'media'>, now: number): string =>
  media.presignedUrl(resultKey(job), LINK_HOURS * 3_600, now, getResultFileName(job));

const toUploadKey = ({ id }: Job): string => `video-${id}`;
/** After this time, an abandoned worker has ended and its upload has arrived. */
const RECHECK_DELAY_MS = 5 * 60_000;

/**
 * Uploads a finished video to its thread and adds it to the history, once: the upload is found by its key, the turn by its
 * message. May be interrupted anywhere. `isRetry`: another worker started the delivery and may still run; then a later check
 * removes duplicate uploads.
 */
export async function deliverVideo(
  job: Job,
  isRetry: boolean,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  const { videos, turns } = context;
  let posted: MessageId | undefined;
  try {
    posted = job.posted ?? (await uploadVideo(job, context));
  } catch (error) {
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError) {
      return endJob(job, 'failed', formatFailureReason(job, 'no-thread'), context);
    }
    if (context.time.now() - getStartTime(job) > MAX_CARD_RETRY_MS)
      return endJob(job, 'failed', formatFailureReason(job, 'lost'), context);
    throw error;
  }
  if (posted === undefined) return endJob(job, 'failed', formatFailureReason(job, 'lost'), context);
  const delivered = job.posted === undefined ? await recordPosted(job, posted, context) : job;
  const { thread, by } = delivered;
  const position = await turns.history({
    thread,
    message: posted,
    asker: by.user,
    askerWorkspace: by.workspace,
  });
  await videos.jobs.saveAsTurn(delivered, posted, buildHistoryTurn(delivered), {
    from: position.from,
    number: position.number,
    days: getRetentionDays(context),
  });
  await videos.media.remove(inputKey(delivered.id));
  const ended = await endJob(delivered, 'delivered', undefined, context);
  const due = isRetry ? context.time.now() + RECHECK_DELAY_MS : getRemovalTime(ended, context);
  return due === undefined ? ended : videos.jobs.save(ended, { due });
}

const DAY_MS = 86_400_000;

const getRetentionDays = ({ settings }: Pick<VideoContext, 'settings'>): number | undefined =>
  resolve('retentionDays', settings.layers).value;

/** Returns when to remove a job, if its channel's retention is shorter than the bucket's. */
function getRemovalTime(job: Job, context: Pick<VideoContext, 'settings' | 'videos'>): number | undefined {
  const days = getRetentionDays(context);
  return days !== undefined && days < context.videos.days ? job.createdAt + days * DAY_MS : undefined;
}

/** Stores the message of the video. If another worker was first, removes our duplicate. */
async function recordPosted(job: Job, posted: MessageId, context: EnabledVideoContext): Promise<Job> {
  try {
    return await context.videos.jobs.save(job, { posted });
  } catch (error) {
    const current = await context.videos.jobs.find(job.id);
    if (current?.posted !== undefined) await removeDuplicates(current, context);
    throw error;
  }
}

/** Checks a delivered video for duplicates, and removes the job when its retention is over. Returns undefined if removed. */
export async function recheckDelivered(job: Job, context: VideoContext): Promise<Job | undefined> {
  await removeDuplicates(job, context);
  const due = getRemovalTime(job, context);
  if (due === undefined || due > context.time.now()) return context.videos.jobs.save(job, { due });
  await forgetVideos([job], context);
  return undefined;
}

/** Deletes all uploads except the one stored in the job. A link card is no upload and stays. */
async function removeDuplicates(
  job: Job,
  { messenger, log }: Pick<VideoContext, 'messenger' | 'log'>,
): Promise<void> {
  const uploads = await messenger.findUploads(job.thread, toUploadKey(job)).catch((error: unknown) => {
    // If the thread is deleted or the bot was removed, there is nothing to delete.
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError) return [];
    throw error;
  });
  for (const message of uploads) {
    if (message === job.posted) continue;
    log('video.duplicate-removed', { job: job.id });
    await messenger.removeCard(job.thread, message);
  }
}

/** Uploads the video, or posts a link if the platform does not accept the file. Returns undefined if it is no longer in the bucket. */
async function uploadVideo(
  job: Job,
  { videos, messenger, time }: EnabledVideoContext,
): Promise<MessageId | undefined> {
  const key = resultKey(job);
  const file = await videos.media.get(key);
  if (!file) return undefined;
  const words = formatVideoCaption(job, time.now());
  try {
    return await messenger.upload(
      job.thread,
      { ...file, name: getResultFileName(job), by: job.by.user, words },
      toUploadKey(job),
    );
  } catch (error) {
    await stopDownload(file.content);
    if (!(error instanceof FileUnavailableError)) throw error;
    return messenger.postCard(
      job.thread,
      createLinkCard(job, createLink(job, videos, time.now()), {
        hours: LINK_HOURS,
        days: videos.days,
        why: error.why,
      }),
      `video-link-${job.id}`,
    );
  }
}
