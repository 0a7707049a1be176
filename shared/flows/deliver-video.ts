import type { MessageId } from '../conversation/index.ts';
import { inputKey, type Job, resultKey } from '../jobs/index.ts';
import { CardRefused, FileRefused, ThreadGone } from '../platforms/platform.ts';
import { stop } from './keep-video.ts';
import { end, GIVE_UP_MS, type Making } from './show-video.ts';
import { captionOf, linkCard } from './video-card.ts';
import { because, price } from './video-words.ts';

/** How long a link to a video is good for. */
export const LINK_HOURS = 1;

/**
 * Puts a finished video into its thread, and into the thread's history, once: the upload is found by its key, the turn by
 * the message that holds the video. Broken off anywhere, it is gone on with.
 */
export async function deliverVideo(job: Job, deps: Making): Promise<Job | undefined> {
  const { videos, turns } = deps;
  let posted: MessageId | undefined;
  try {
    posted = job.posted ?? (await put(job, deps));
  } catch (error) {
    if (error instanceof ThreadGone || error instanceof CardRefused) {
      return end(job, 'failed', because(job, 'no-thread'), deps);
    }
    if (deps.time.now() - job.createdAt > GIVE_UP_MS) return end(job, 'failed', because(job, 'lost'), deps);
    throw error;
  }
  if (posted === undefined) return end(job, 'failed', because(job, 'lost'), deps);
  const told = job.posted === undefined ? await videos.jobs.save(job, { posted }) : job;
  const { thread, by, picture, prompt, model } = told;
  const place = await turns.past({ thread, message: posted, asker: by.user, askerWorkspace: by.workspace });
  const text = `I made a video of the picture “${picture.name}” and put it into the thread. Prompt: ${prompt}. Model: ${model}, ${price(job.price, 'en')}.`;
  const ending = { kind: 'answered', text, finish: 'stop', model } as const;
  const turn = { question: `Animate this picture: ${prompt}`, pictures: [picture], ending };
  await videos.jobs.record(told, posted, turn, { from: place.from, number: place.number });
  await videos.media.remove(inputKey(told.id));
  return end(told, 'delivered', undefined, deps);
}

/** The message that holds the video; undefined if the bucket has it no more. */
async function put(job: Job, { videos, stage, time }: Making): Promise<MessageId | undefined> {
  const key = resultKey(job.id);
  const file = await videos.media.get(key);
  if (!file) return undefined;
  const words = captionOf(job, time.now());
  try {
    return await stage.upload(job.thread, { ...file, name: 'video.mp4', words }, `video-${job.id}`);
  } catch (error) {
    await stop(file.content);
    if (!(error instanceof FileRefused)) throw error;
    const address = videos.media.address(key, LINK_HOURS * 3_600, time.now());
    return stage.card(job.thread, linkCard(job, address, LINK_HOURS, videos.days), `video-link-${job.id}`);
  }
}
