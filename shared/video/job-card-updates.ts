import type { VideoContext } from './context.ts';
import type { Job } from './jobs/index.ts';
import { CannotPostError, ThreadDeletedError } from '../platforms/ports/platform.ts';
import { withVideoBudget } from './propose-job.ts';
import { jobCard } from './card.ts';
import type { Videos } from '../context/video-ports.ts';
import { errorName } from '../utils/error-name.ts';

/** All that a look at a job takes. */
export type EnabledVideoContext = VideoContext & { readonly videos: Videos };

/** How long after its limit it is still tried to say so. */
export const GIVE_UP_MS = 24 * 3_600_000;

/** When it began to cost: what was only proposed may have lain for days. */
export const begunAt = ({ createdAt, agreedAt = createdAt }: Job): number => agreedAt;

/** Shows how the job ended, settles its price, and then writes it down: broken off between, it is all done again. */
export async function endJob(
  job: Job,
  state: 'delivered' | 'failed' | 'cancelled' | 'expired',
  reason: string | undefined,
  context: EnabledVideoContext,
): Promise<Job> {
  const ended: Job = { ...job, state, reason };
  const { card } = await shownJob(ended, context).catch((error: unknown) => {
    // Nobody is there to be told, or nobody could be for a day.
    const late = context.time.now() - begunAt(job) > GIVE_UP_MS;
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError || late) return ended;
    throw error;
  });
  await withVideoBudget(job, context);
  context.log('video.job-ended', { job: job.id, state });
  return context.videos.jobs.save(job, { state, reason, card });
}

/** Shows how far the job is. What cannot be shown now is shown with the next change. */
export async function updateJobCard(job: Job, context: EnabledVideoContext): Promise<Job> {
  return shownJob(job, context).catch((error: unknown) => {
    context.log('video.card-update-failed', { job: job.id, error: errorName(error) });
    return job;
  });
}

/** The job with the message that shows it. */
export async function shownJob(job: Job, { messenger: stage }: EnabledVideoContext): Promise<Job> {
  const card = await stage.postCard(job.thread, jobCard(job), `video-${job.id}`, job.card);
  return { ...job, card };
}
