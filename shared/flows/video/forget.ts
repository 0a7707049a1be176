import { inputKey, isOver, type Job, resultKey } from '../../jobs/index.ts';
import { UpstreamError } from '../../upstream/index.ts';
import { paidFor } from './animate.ts';
import type { Deps } from '../ports.ts';

/** Removes a job and its files. Safe to repeat; a job that is still being made is cancelled by the service's own means. */
export async function forgetVideos(
  jobs: readonly Job[],
  { videos, spending }: Pick<Deps, 'videos'> & Partial<Pick<Deps, 'spending'>>,
): Promise<number> {
  if (!videos) return 0;
  for (const job of jobs) {
    if (job.handle && !isOver(job.state)) {
      await videos
        .vision(job.keyName)
        .cancel(job.handle)
        .catch((error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error;
        });
    }
    if (!isOver(job.state)) await paidFor(job, { spending });
    await videos.media.remove(inputKey(job.id));
    await videos.media.remove(resultKey(job.id));
    await videos.jobs.remove(job);
  }
  return jobs.length;
}
