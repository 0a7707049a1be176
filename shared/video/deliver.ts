import type { MessageId } from '../domain/index.ts';
import { inputKey, type Job, resultKey } from './jobs/index.ts';
import { CannotPostError, FileUnavailableError, ThreadDeletedError } from '../platforms/ports/platform.ts';
import { resolve } from '../settings/rules/index.ts';
import { forgetVideos } from './forget.ts';
import { stopDownload } from './store-result.ts';
import { begunAt, endJob, GIVE_UP_MS, type EnabledVideoContext } from './job-card-updates.ts';
import { captionOf, linkCard } from './card.ts';
import { reasonText, price } from './labels.ts';

/** How long a link to a video is good for. */
export const LINK_HOURS = 1;
const FILE = 'video.mp4';
const keyOf = ({ id }: Job): string => `video-${id}`;
/** A worker that was given up has ended by then, and what it had under way has arrived. */
const LOOK_AGAIN_MS = 5 * 60_000;

/**
 * Puts a finished video into its thread, and into the thread's history, once: the upload is found by its key, the turn by
 * the message that holds the video. Broken off anywhere, it is gone on with. `again`: another worker had begun it, which may
 * be at it yet; then it is looked at once more, later, for a video that stands there twice.
 */
export async function deliverVideo(
  job: Job,
  again: boolean,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  const { videos, turns } = context;
  let posted: MessageId | undefined;
  try {
    posted = job.posted ?? (await put(job, context));
  } catch (error) {
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError) {
      return endJob(job, 'failed', reasonText(job, 'no-thread'), context);
    }
    if (context.time.now() - begunAt(job) > GIVE_UP_MS)
      return endJob(job, 'failed', reasonText(job, 'lost'), context);
    throw error;
  }
  if (posted === undefined) return endJob(job, 'failed', reasonText(job, 'lost'), context);
  const told = job.posted === undefined ? await posting(job, posted, context) : job;
  const { thread, by, picture, prompt, model } = told;
  const place = await turns.history({
    thread,
    message: posted,
    asker: by.user,
    askerWorkspace: by.workspace,
  });
  const text = `I made a video of the picture “${picture.name}” and put it into the thread. Prompt: ${prompt}. Model: ${model}, ${price(job.price, 'en')}.`;
  const ending = { kind: 'answered', text, finish: 'stop', model } as const;
  const turn = { question: `Animate this picture: ${prompt}`, pictures: [picture], ending };
  await videos.jobs.saveAsTurn(told, posted, turn, {
    from: place.from,
    number: place.number,
    days: retention(context),
  });
  await videos.media.remove(inputKey(told.id));
  const ended = await endJob(told, 'delivered', undefined, context);
  const due = again ? context.time.now() + LOOK_AGAIN_MS : goesAt(ended, context);
  return due === undefined ? ended : videos.jobs.save(ended, { due });
}

const DAY_MS = 86_400_000;

const retention = ({ settings }: Pick<EnabledVideoContext, 'settings'>): number | undefined =>
  resolve('retentionDays', settings.layers).value;

/** When a job and its files go, where its channel keeps them for less long than the bucket does. */
function goesAt(job: Job, context: Pick<EnabledVideoContext, 'settings' | 'videos'>): number | undefined {
  const days = retention(context);
  return days !== undefined && days < context.videos.days ? job.createdAt + days * DAY_MS : undefined;
}

/** Writes down which message holds the video. Who comes too late for that takes out what it has put there. */
async function posting(job: Job, posted: MessageId, context: EnabledVideoContext): Promise<Job> {
  try {
    return await context.videos.jobs.save(job, { posted });
  } catch (error) {
    const now = await context.videos.jobs.find(job.id);
    if (now?.posted !== undefined) await removeDoubles(now, context);
    throw error;
  }
}

/** Looks at a delivered video once more; when its time is over, it goes from the bucket. Undefined: nothing is left. */
export async function lookAgain(job: Job, context: EnabledVideoContext): Promise<Job | undefined> {
  await removeDoubles(job, context);
  const due = goesAt(job, context);
  if (due === undefined || due > context.time.now()) return context.videos.jobs.save(job, { due });
  await forgetVideos([job], context);
  return undefined;
}

/** Leaves the one message that the job names. A link in its place is no upload, and stays. */
async function removeDoubles(
  job: Job,
  { messenger: stage, log }: Pick<EnabledVideoContext, 'messenger' | 'log'>,
): Promise<void> {
  const there = await stage.findUploads(job.thread, FILE, keyOf(job)).catch((error: unknown) => {
    // Where the thread is gone, or the bot was put out, nothing is left to be taken away.
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError) return [];
    throw error;
  });
  for (const one of there) {
    if (one === job.posted) continue;
    log('video.duplicate-removed', { job: job.id });
    await stage.removeCard(job.thread, one);
  }
}

/** The message that holds the video; undefined if the bucket has it no more. */
async function put(
  job: Job,
  { videos, messenger: stage, time }: EnabledVideoContext,
): Promise<MessageId | undefined> {
  const key = resultKey(job.id);
  const file = await videos.media.get(key);
  if (!file) return undefined;
  const words = captionOf(job, time.now());
  try {
    return await stage.upload(job.thread, { ...file, name: FILE, by: job.by.user, words }, keyOf(job));
  } catch (error) {
    await stopDownload(file.content);
    if (!(error instanceof FileUnavailableError)) throw error;
    const address = videos.media.presignedUrl(key, LINK_HOURS * 3_600, time.now());
    return stage.postCard(
      job.thread,
      linkCard(job, address, LINK_HOURS, videos.days),
      `video-link-${job.id}`,
    );
  }
}
