import type { VideoContext } from './context.ts';
import { inputKey, isTerminal, type Job, resultKey } from './jobs/index.ts';
import { UpstreamError } from '../upstream/index.ts';
import { withVideoBudget } from './propose-job.ts';

/** Removes jobs and their files; cancels unfinished jobs at the service, if there still is one. Idempotent. Returns the number of jobs. */
export async function forgetVideos(
  jobs: readonly Job[],
  { videos, budgets }: Pick<VideoContext, 'videos' | 'budgets'>,
): Promise<number> {
  for (const job of jobs) {
    if (videos.enabled && job.handle && !isTerminal(job.state)) {
      await videos
        .vision(job.keyName)
        .cancel(job.handle)
        .catch((error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error;
        });
    }
    if (!isTerminal(job.state)) await withVideoBudget(job, { budgets });
    await videos.media.remove(inputKey(job.id));
    await videos.media.remove(resultKey(job));
    await videos.jobs.remove(job);
  }
  return jobs.length;
}
