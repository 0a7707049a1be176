import type { Job } from '../../jobs/index.ts';
import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import { paidFor } from './animate.ts';
import type { Deps } from '../ports.ts';
import { jobCard } from './card.ts';
import type { Videos } from './ports.ts';

/** All that a look at a job takes. */
export type Making = Deps & { readonly videos: Videos };

/** How long after its limit it is still tried to say so. */
export const GIVE_UP_MS = 24 * 3_600_000;

/** When it began to cost: what was only proposed may have lain for days. */
export const begunAt = ({ createdAt, agreedAt = createdAt }: Job): number => agreedAt;

/** Shows how the job ended, settles its price, and then writes it down: broken off between, it is all done again. */
export async function end(
  job: Job,
  state: 'delivered' | 'failed' | 'cancelled' | 'expired',
  reason: string | undefined,
  deps: Making,
): Promise<Job> {
  const ended: Job = { ...job, state, reason };
  const { card } = await shown(ended, deps).catch((error: unknown) => {
    // Nobody is there to be told, or nobody could be for a day.
    const late = deps.time.now() - begunAt(job) > GIVE_UP_MS;
    if (error instanceof ThreadGone || error instanceof CardRefused || late) return ended;
    throw error;
  });
  await paidFor(job, deps);
  deps.log('video.ended', { job: job.id, state });
  return deps.videos.jobs.save(job, { state, reason, card });
}

/** Shows how far the job is. What cannot be shown now is shown with the next change. */
export async function show(job: Job, deps: Making): Promise<Job> {
  return shown(job, deps).catch((error: unknown) => {
    deps.log('video.unshown', { job: job.id, error: error instanceof Error ? error.name : 'unknown' });
    return job;
  });
}

/** The job with the message that shows it. */
export async function shown(job: Job, { stage }: Making): Promise<Job> {
  const card = await stage.card(job.thread, jobCard(job), `video-${job.id}`, job.card);
  return { ...job, card };
}
