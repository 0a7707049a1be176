import { ConditionFailedError } from '../storage/index.ts';
import { createJobCard } from './display/card.ts';
import type { VideoContext } from './context.ts';
import { type ProposedJob, proposeJob, type VideoRequest } from './propose-job.ts';

/** Proposes a job, and posts its card with the price and a button in its thread. Idempotent. */
export async function proposeOnCard(request: VideoRequest, context: VideoContext): Promise<ProposedJob> {
  const outcome = await proposeJob(request, context);
  const { videos, messenger } = context;
  if (outcome.kind === 'refused' || !videos.enabled) return outcome;
  const { job } = outcome;
  if (job.state !== 'proposed' || job.card !== undefined) return outcome;
  const card = await messenger.postCard(job.thread, createJobCard(job), `video-${job.id}`);
  await videos.jobs.save(job, { card }).catch((error: unknown) => {
    // The button was already clicked; the card is found by its key.
    if (!(error instanceof ConditionFailedError)) throw error;
  });
  return outcome;
}
