import type { Card, Invocation } from '../conversation/index.ts';
import { isOver, type Job, jobId, type Person, resultKey } from '../jobs/index.ts';
import type { Video } from '../upstream/index.ts';
import { UpstreamError } from '../upstream/index.ts';
import { animate } from './animate.ts';
import { LINK_HOURS } from './deliver-video.ts';
import type { Deps } from './ports.ts';
import { linkCard, listCard } from './video-card.ts';
import { sendVideo } from './video-task.ts';
import { SAYS } from './video-words.ts';

/** How many videos a list shows. */
const MOST_LISTED = 15;

/** What is said to who called: a sentence, or nothing where the card in the thread says it. */
export type Said = { readonly sentence: string; readonly tone?: Card['tone'] } | undefined;

export const personOf = ({ platform, by }: Invocation): Person => ({
  platform,
  workspace: by.workspace,
  user: by.user,
});

/** A person's videos, with their states. */
export async function myVideos(person: Person, { videos }: Pick<Deps, 'videos'>): Promise<Card> {
  return listCard(videos ? await videos.jobs.of(person, MOST_LISTED) : [], SAYS.none);
}

/** The person wants it no more: asked of the service by the task that follows. */
export async function cancelVideo(text: string, caller: Invocation, deps: Deps): Promise<Said> {
  const job = await theirs(text, caller, deps);
  if (!('id' in job)) return job;
  if (isOver(job.state) || job.state === 'delivering') return { sentence: SAYS.late };
  if (job.cancelWanted !== true) await deps.videos?.jobs.save(job, { cancelWanted: true });
  await sendVideo(job, 'cancel', deps.queue);
  return { sentence: SAYS.cancelling };
}

/** The same again, or with another prompt: a new job, once for each card, however often the button is pressed. */
export async function videoAgain(
  text: string,
  caller: Invocation,
  deps: Deps,
  prompt?: string,
): Promise<Said> {
  const found = await theirs(text, caller, deps);
  if (!('id' in found)) return found;
  const { by, thread, asked, picture, model } = found;
  // A form that was filled in once more is another wish; a button pressed twice is not.
  const wish = prompt === undefined ? `again-${found.id}` : `form-${caller.id}`;
  const started = await animate(
    { wish, by, thread, asked, picture, model, prompt: prompt ?? found.prompt },
    deps,
  );
  if (started.kind === 'refused') return { sentence: started.sentence, tone: 'bad' };
  return started.kind === 'already' ? { sentence: SAYS.already } : undefined;
}

/** A new address for a video that was too large for its thread. Anybody in the thread may have it. */
export async function renewLink(text: string, deps: Deps): Promise<Said> {
  const { videos, stage, time } = deps;
  const id = jobId(text);
  const job = id && (await videos?.jobs.find(id));
  const file = job && (await videos?.media.get(resultKey(job.id)));
  if (!videos || !job?.posted || !file) return { sentence: SAYS.gone, tone: 'bad' };
  await file.content[Symbol.asyncIterator]().return?.(undefined);
  const address = videos.media.address(resultKey(job.id), LINK_HOURS * 3_600, time.now());
  await stage.card(
    job.thread,
    linkCard(job, address, LINK_HOURS, videos.days),
    `video-link-${job.id}`,
    job.posted,
  );
  return undefined;
}

/** Removes a job and its files. Safe to repeat; a job that is still being made is cancelled by the service's own means. */
export async function forgetVideos(jobs: readonly Job[], { videos }: Pick<Deps, 'videos'>): Promise<number> {
  if (!videos) return 0;
  for (const job of jobs) {
    if (job.handle && !isOver(job.state)) {
      await videos.vision.cancel(job.handle).catch((error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
      });
    }
    await videos.media.remove(`inputs/${job.id}`);
    await videos.media.remove(resultKey(job.id));
    await videos.jobs.remove(job);
  }
  return jobs.length;
}

/** What the service knows of a stored video. */
export async function lookUpVideo(id: string, { videos }: Pick<Deps, 'videos'>): Promise<Video | undefined> {
  try {
    return await videos?.vision.video(id.trim().slice(0, 200));
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** A stored video as people are shown it. */
export function videoCard({ videoId, url, indexingStatus, indexingType, metadata = {} }: Video): Card {
  const { width, height, duration, avgFps, thumbnail, thumbnails, title, videoName } = metadata;
  const facts = [
    ['Indexing', [indexingStatus, indexingType].filter(Boolean).join(', ')],
    ['Size', width && height ? `${width} × ${height}` : ''],
    ['Length', duration === undefined ? '' : `${duration} s`],
    ['Pictures a second', avgFps === undefined ? '' : String(avgFps)],
  ] as const;
  const links = [`[Play it](${url})`, ...(thumbnails ? [`[Storyboard](${thumbnails})`] : [])];
  return {
    title: title ?? videoName ?? videoId,
    parts: [
      { kind: 'fields', fields: facts.flatMap(([name, value]) => (value ? [{ name, value }] : [])) },
      ...(thumbnail?.startsWith('https://')
        ? [{ kind: 'image' as const, url: thumbnail, alt: videoId }]
        : []),
      { kind: 'text', markdown: links.join(' · ') },
      { kind: 'note', markdown: `\`${videoId}\`` },
    ],
  };
}

async function theirs(text: string, caller: Invocation, { videos }: Deps): Promise<Job | NonNullable<Said>> {
  const id = jobId(text);
  const job = id && (await videos?.jobs.find(id));
  if (!job) return { sentence: SAYS.gone, tone: 'bad' };
  const { user, workspace, admin } = caller.by;
  const own = job.by.user === user && job.by.workspace === workspace;
  return own || admin === true ? job : { sentence: SAYS.notYours, tone: 'bad' };
}
