import type { VideoContext } from './context.ts';
import type { Card, Interaction } from '../domain/index.ts';
import { isTerminal, type Job, jobId, type JobRequester, mayChangeJob, resultKey } from './jobs/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { confirmJob, startJob, type StartedJob, type JobRequest } from './propose-job.ts';
import { LINK_HOURS } from './deliver.ts';
import { endJob } from './job-card-updates.ts';
import { linkCard, listCard } from './card.ts';
import { enqueueVideoTask } from './enqueue.ts';

/** How many videos a list shows. */
const MAX_LISTED = 15;

/** Who called, and in which language they are answered. */
export type VideoCaller = {
  readonly invocation: Interaction;
  readonly locale: Locale;
  readonly admin: boolean;
};

/** What is said to who called: a sentence, or nothing where the card in the thread says it. */
export type ActionReply = { readonly sentence: string; readonly tone?: Card['tone'] } | undefined;

export const personOf = ({ platform, by }: Interaction): JobRequester => ({
  platform,
  workspace: by.workspace,
  user: by.user,
});

/** A person's videos, with their states. */
export async function myVideos(
  { invocation, locale }: Pick<VideoCaller, 'invocation' | 'locale'>,
  { videos }: Pick<VideoContext, 'videos'>,
): Promise<Card> {
  return listCard(
    videos.enabled ? await videos.jobs.listByPerson(personOf(invocation), MAX_LISTED) : [],
    locale,
  );
}

/** The person wants it no more: asked of the service by the task that follows. */
export async function cancelVideo(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const { locale } = caller;
  const { videos } = context;
  const job = await theirs(text, caller, context);
  if (!('id' in job)) return job;
  if (!videos.enabled || isTerminal(job.state) || job.state === 'delivering')
    return { sentence: localize(locale, 'video.late') };
  if (job.state === 'proposed') {
    // Where nobody was shown a card, there is none to change.
    if (job.card) await endJob(job, 'cancelled', undefined, { ...context, videos });
    else await videos.jobs.save(job, { state: 'cancelled' });
    return undefined;
  }
  if (job.cancelWanted !== true) await videos.jobs.save(job, { cancelWanted: true });
  await enqueueVideoTask(job, 'cancel', context.queue);
  return { sentence: localize(locale, 'video.cancelling') };
}

/** The price is agreed to: a proposed video is begun, with the words of a form where one was sent. */
export async function makeProposed(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
  wanted?: JobRequest,
): Promise<ActionReply> {
  const found = await theirs(text, caller, context);
  return 'id' in found
    ? said(await confirmJob(found, context, { ...wanted, admin: caller.admin }), caller, wanted !== undefined)
    : found;
}

/** The same again: a new job, once for each card, however often the button is pressed. Whoever presses pays. */
export async function videoAgain(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const found = await theirs(text, caller, context);
  if (!('id' in found)) return found;
  return said(await another(found, `again-${found.id}`, {}, caller, context), caller);
}

/** A form was sent: there is to be another, with its words. */
export async function changePrompt(
  text: string,
  wanted: JobRequest,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const found = await theirs(text, caller, context);
  if (!('id' in found)) return found;
  // A form that was filled in once more is another wish; one that is delivered twice is not.
  return said(await another(found, `form-${caller.invocation.id}`, wanted, caller, context), caller, true);
}

function another(
  job: Job,
  wish: string,
  { prompt = job.prompt, model = job.model }: JobRequest,
  { invocation, locale, admin }: VideoCaller,
  context: VideoContext,
): Promise<StartedJob> {
  const by = personOf(invocation);
  const { thread, asked, picture } = job;
  return startJob({ wish, by, locale, admin, thread, asked, picture, model, prompt }, context);
}

/** `answered`: the platform waits for an answer, even if the card in the thread says it all. */
function said(started: StartedJob, { locale }: VideoCaller, answered = false): ActionReply {
  if (started.kind === 'refused') return { sentence: started.sentence, tone: 'bad' };
  if (started.kind === 'already') return { sentence: localize(locale, 'video.already') };
  const { warning } = started;
  if (!answered) return warning === undefined ? undefined : { sentence: warning };
  return { sentence: [localize(locale, 'video.started'), warning].filter(Boolean).join('\n') };
}

/** A new address for a video that was too large for its thread. Anybody in the thread may have it. */
export async function renewLink(
  text: string,
  { locale }: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const { videos, messenger: stage, time } = context;
  const id = jobId(text);
  const job = videos.enabled && id ? await videos.jobs.find(id) : undefined;
  const file = videos.enabled && job ? await videos.media.get(resultKey(job.id)) : undefined;
  if (!videos.enabled || !job?.posted || !file)
    return { sentence: localize(locale, 'video.gone'), tone: 'bad' };
  await file.content[Symbol.asyncIterator]().return?.(undefined);
  const address = videos.media.presignedUrl(resultKey(job.id), LINK_HOURS * 3_600, time.now());
  await stage.postCard(
    job.thread,
    linkCard(job, address, LINK_HOURS, videos.days),
    `video-link-${job.id}`,
    job.posted,
  );
  return undefined;
}

/** The job of this id, if it is the caller's, or the caller administers the workspace it belongs to. */
export async function theirs(
  text: string,
  { invocation, locale, admin }: VideoCaller,
  { videos }: Pick<VideoContext, 'videos'>,
): Promise<Job | NonNullable<ActionReply>> {
  const id = jobId(text);
  const job = videos.enabled && id ? await videos.jobs.find(id) : undefined;
  if (!job) return { sentence: localize(locale, 'video.gone'), tone: 'bad' };
  const caller = { ...invocation, admin };
  return mayChangeJob(job, caller) ? job : { sentence: localize(locale, 'video.not-yours'), tone: 'bad' };
}
