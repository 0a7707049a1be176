import type { VideoContext } from './context.ts';
import type { Job } from './jobs/index.ts';
import type { Videos } from '../ports/index.ts';
import { CannotPostError, ThreadDeletedError } from '../platforms/ports/index.ts';
import { withVideoBudget } from './propose-job.ts';
import { createJobCard } from './display/card.ts';
import { getErrorFacts } from '../utils/index.ts';

/** The video context of a deployment with videos. */
export type EnabledVideoContext = VideoContext & { readonly videos: Videos };

/** How long posting the final card is retried after the job limit. */
export const MAX_CARD_RETRY_MS = 24 * 3_600_000;

/** Returns when the job was confirmed; a proposal may be days older. */
export const getStartTime = ({ createdAt, confirmedAt = createdAt }: Job): number => confirmedAt;

/** Posts the final card, settles the price, then stores the end: after an interruption, all steps are repeated. */
export async function endJob(
  job: Job,
  state: 'delivered' | 'failed' | 'cancelled' | 'expired',
  reason: string | undefined,
  context: EnabledVideoContext,
): Promise<Job> {
  const ended: Job = { ...job, state, reason };
  const { card } = await postJobCard(ended, context).catch((error: unknown) => {
    // The thread is gone, or posting has failed for a day.
    const isLate = context.time.now() - getStartTime(job) > MAX_CARD_RETRY_MS;
    if (error instanceof ThreadDeletedError || error instanceof CannotPostError || isLate) return ended;
    throw error;
  });
  await withVideoBudget(job, context);
  context.log('video.job-ended', { job: job.id, state, requestId: job.handle?.requestId });
  return context.videos.jobs.save(job, { state, reason, card });
}

/** Updates the card. A failure is logged; the next update shows the state. */
export async function updateJobCard(job: Job, context: EnabledVideoContext): Promise<Job> {
  return postJobCard(job, context).catch((error: unknown) => {
    context.log('video.card-update-failed', { job: job.id, ...getErrorFacts(error) });
    return job;
  });
}

/** Posts or updates the card. Returns the job with the message of the card. */
export async function postJobCard(job: Job, { messenger }: EnabledVideoContext): Promise<Job> {
  const card = await messenger.postCard(job.thread, createJobCard(job), `video-${job.id}`, job.card);
  return { ...job, card };
}
