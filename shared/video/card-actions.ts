import type { VideoContext } from './context.ts';
import { type Card, type Interaction, type Thread, toRequestedPicture } from '../domain/index.ts';
import { CannotPostError, hasBlockedWords, ThreadDeletedError } from '../platforms/ports/index.ts';
import {
  isTerminal,
  type Job,
  jobId,
  type JobRequester,
  listPromptAuthors,
  mayChangeJob,
  resultKey,
} from './jobs/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { confirmJob, startJob, type StartedJob, type JobChanges } from './propose-job.ts';
import { createLink, LINK_HOURS } from './deliver.ts';
import { formatMediaText } from './display/labels.ts';
import { endJob } from './job-card-updates.ts';
import { createLinkCard, createJobListCard } from './display/card.ts';
import { enqueueVideoTask } from './enqueue.ts';

/** How many videos a list shows. Proposals are not shown. */
const MAX_LISTED = 15;

/** The person behind the interaction, and their locale. */
export type VideoCaller = {
  readonly interaction: Interaction;
  readonly locale: Locale;
  readonly admin: boolean;
};

/** The ephemeral reply; undefined if the card in the thread shows the result. */
export type ActionReply = { readonly sentence: string; readonly tone?: Card['tone'] } | undefined;

export const toJobRequester = ({ platform, by }: Interaction): JobRequester => ({
  platform,
  workspace: by.workspace,
  user: by.user,
});

/** Returns the card with a person's videos and their states. */
export async function listVideos(
  { interaction, locale }: Pick<VideoCaller, 'interaction' | 'locale'>,
  { videos }: Pick<VideoContext, 'videos'>,
): Promise<Card> {
  const jobs = videos.enabled ? await videos.jobs.listByPerson(toJobRequester(interaction), Infinity) : [];
  return createJobListCard(jobs.filter(({ state }) => state !== 'proposed').slice(0, MAX_LISTED), locale);
}

/** Cancels a video. The queued task cancels it at the service. */
export async function cancelVideo(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const { locale } = caller;
  const { videos } = context;
  const job = await findChangeableJob(text, caller, context);
  if (!('id' in job)) return job;
  if (!videos.enabled || isTerminal(job.state) || job.state === 'delivering')
    return { sentence: formatMediaText(job, 'late', locale) };
  if (job.state === 'proposed') {
    // Without a card there is nothing to update.
    if (job.card) await endJob(job, 'cancelled', undefined, { ...context, videos });
    else await videos.jobs.save(job, { state: 'cancelled' });
    return undefined;
  }
  if (job.isCancelRequested !== true) await videos.jobs.save(job, { isCancelRequested: true });
  await enqueueVideoTask(job, 'cancel', context.queue);
  return { sentence: localize(locale, 'video.cancelling') };
}

/** Confirms a proposed video, with the changes from the modal if there are any. */
export async function confirmProposed(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
  changes?: JobChanges,
): Promise<ActionReply> {
  const result = await findChangeableJob(text, caller, context);
  return 'id' in result
    ? toActionReply(
        await confirmJob(result, context, {
          ...changes,
          admin: caller.admin,
          by: toJobRequester(caller.interaction),
        }),
        caller,
        changes !== undefined,
      )
    : result;
}

/** Creates the same video again: one new job per card, charged to the person who clicked. */
export async function repeatVideo(
  text: string,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const result = await findChangeableJob(text, caller, context);
  if (!('id' in result)) return result;
  return toActionReply(await startAnother(result, `again-${result.id}`, {}, caller, context), caller);
}

/** Creates another video with the changes from the modal. */
export async function changePrompt(
  text: string,
  changes: JobChanges,
  caller: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const result = await findChangeableJob(text, caller, context);
  if (!('id' in result)) return result;
  // A second submission of the modal is a new request; a duplicate delivery is not.
  return toActionReply(
    await startAnother(result, `form-${caller.interaction.id}`, changes, caller, context),
    caller,
    true,
  );
}

function startAnother(
  job: Job,
  requestKey: string,
  { prompt = job.prompt, model = job.model }: JobChanges,
  { interaction, locale, admin }: VideoCaller,
  context: VideoContext,
): Promise<StartedJob> {
  const by = toJobRequester(interaction);
  const { thread, requestMessage, operation } = job;
  const origin = job.picture?.origin ?? { author: job.by.user, message: requestMessage };
  const picture = job.picture && toRequestedPicture(job.picture, origin, by.user);
  // A changed prompt may still have their words.
  const promptAuthors = listPromptAuthors(job, by, job.by.user);
  const place = { by, locale, admin, thread, requestMessage };
  return startJob({ ...place, requestKey, operation, picture, model, prompt, promptAuthors }, context);
}

/** `needsReply`: the platform expects a response even if the card shows the result. */
function toActionReply(started: StartedJob, { locale }: VideoCaller, needsReply = false): ActionReply {
  if (started.kind === 'refused') return { sentence: started.sentence, tone: 'bad' };
  if (started.kind === 'already') return { sentence: localize(locale, 'video.already') };
  const { warning } = started;
  if (!needsReply) return warning === undefined ? undefined : { sentence: warning };
  return { sentence: [localize(locale, 'video.started'), warning].filter(Boolean).join('\n') };
}

/** Creates a new presigned URL for a video that was posted as a link. Everybody in the channel may do so; the id of a job is not secret, so it is not enough. */
export async function renewLink(
  text: string,
  { interaction, locale }: VideoCaller,
  context: VideoContext,
): Promise<ActionReply> {
  const { videos, messenger, time } = context;
  const id = jobId(text);
  const job = videos.enabled && id ? await videos.jobs.find(id) : undefined;
  const file =
    videos.enabled && job && isInChannel(interaction, job.thread)
      ? await videos.media.get(resultKey(job))
      : undefined;
  if (!videos.enabled || !job?.posted || !file)
    return { sentence: localize(locale, 'video.gone'), tone: 'bad' };
  await file.content[Symbol.asyncIterator]().return?.(undefined);
  const card = createLinkCard(job, createLink(job, videos, time.now()), {
    hours: LINK_HOURS,
    days: videos.days,
  });
  try {
    await messenger.postCard(job.thread, card, `video-link-${job.id}`, job.posted);
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    const sentence = localize(
      locale,
      hasBlockedWords(error) ? 'answers.discord.reply-blocked' : 'picture.no-room',
    );
    return { sentence, tone: 'bad' };
  }
}

const isInChannel = (
  { platform, workspace, channel }: Interaction,
  thread: Pick<Thread, 'platform' | 'workspace' | 'channel'>,
): boolean => platform === thread.platform && workspace === thread.workspace && channel === thread.channel;

/** Returns the job if the person may change it, otherwise the reply that refuses. */
export async function findChangeableJob(
  text: string,
  { interaction, locale, admin }: VideoCaller,
  { videos }: Pick<VideoContext, 'videos'>,
): Promise<Job | NonNullable<ActionReply>> {
  const id = jobId(text);
  const job = videos.enabled && id ? await videos.jobs.find(id) : undefined;
  if (!job) return { sentence: localize(locale, 'video.gone'), tone: 'bad' };
  const caller = { ...interaction, admin };
  return mayChangeJob(job, caller)
    ? job
    : { sentence: formatMediaText(job, 'not-yours', locale), tone: 'bad' };
}
