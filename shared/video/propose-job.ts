import type { VideoContext } from './context.ts';
import { parseDollars } from '../billing/budgets/index.ts';
import {
  MAX_PROMPT_LENGTH,
  getOperation,
  isTerminal,
  type Job,
  type JobRequester,
  listPromptAuthors,
  type MediaOperation,
  listModelsFor,
  needsPicture,
} from './jobs/index.ts';
import { DEFAULT_VALUES, isSilent, resolve } from '../settings/rules/index.ts';
import { describeFailure } from '../chat/index.ts';
import { BudgetExceededError } from '../billing/index.ts';
import type { Videos } from '../ports/index.ts';
import type { Attachment, MessageId, Thread, UserId } from '../domain/index.ts';
import { ConditionFailedError } from '../storage/index.ts';
import { type Locale, toLocale, localize } from '../i18n/index.ts';
import { formatMediaText } from './display/labels.ts';
import { enqueueVideoTask } from './enqueue.ts';

/** A person's request for a video. */
export type VideoRequest = {
  /** The idempotency key of the request. */
  readonly requestKey: string;
  readonly by: JobRequester;
  /** Whether they administer the workspace. */
  readonly admin: boolean;
  readonly locale: Locale;
  readonly thread: Thread;
  readonly requestMessage: MessageId;
  /** Absent for what is made of words alone. */
  readonly picture?: Attachment | undefined;
  readonly prompt: string;
  /** People other than the requester whose words the prompt has. */
  readonly promptAuthors?: readonly UserId[] | undefined;
  /** What to make: a video of the picture, unless stated otherwise. */
  readonly operation?: MediaOperation | undefined;
  /** The default model if absent. */
  readonly model?: string | undefined;
};

type RefusedJob = { readonly kind: 'refused'; readonly sentence: string };
export type ProposedJob = { readonly kind: 'proposed'; readonly job: Job } | RefusedJob;
export type StartedJob =
  | {
      readonly kind: 'started' | 'already';
      readonly job: Job;
      /** A warning for the requester that most of a budget is used. */
      readonly warning?: string | undefined;
    }
  | RefusedJob;
export type ProposeJobContext = Pick<
  VideoContext,
  'videos' | 'queue' | 'time' | 'log' | 'settings' | 'budgets'
>;

/** The sweeper queues a job again after this time if its task was lost. */
const REQUEUE_AFTER_MS = 60_000;
/** Longer than a job takes, including a day of retries to post the result. */
const RESERVATION_MS = 31 * 3_600_000;

const refuse = (sentence: string): RefusedJob => ({ kind: 'refused', sentence });

/**
 * Creates a proposed job: nothing is spent before the person confirms the price. A repeated request key returns the same
 * job in its current state.
 */
export async function proposeJob(ask: VideoRequest, context: ProposeJobContext): Promise<ProposedJob> {
  const { videos } = context;
  const { locale, by, thread, requestMessage, picture, operation = 'image-to-video' } = ask;
  if (!videos.enabled) return refuse(formatMediaText({ operation }, 'not-here', locale));
  const models = listModelsFor(await videos.models(), operation);
  const model = models.find(({ name }) => name === ask.model) ?? models[0];
  if (!model) return refuse(formatMediaText({ operation }, 'not-here', locale));
  const known = await videos.jobs.findByRequest(by, ask.requestKey);
  if (known) return { kind: 'proposed', job: known };
  const prompt = ask.prompt.trim();
  const problem = findPolicyRefusal(ask, context) ?? findPromptError(prompt, ask);
  if (problem !== undefined) return refuse(problem);
  // It was removed with the person who had sent it.
  if (needsPicture(operation) && !picture) return refuse(localize(locale, 'video.no-picture'));
  const job = await videos.jobs.create(ask.requestKey, {
    state: 'proposed',
    by,
    thread,
    requestMessage,
    picture,
    prompt,
    promptAuthors: ask.promptAuthors,
    locale,
    operation,
    model: model.name,
    price: model.price,
    key: videos.submissionKey(by, ask.requestKey),
  });
  return { kind: 'proposed', job };
}

/**
 * Returns why a request cannot be made here; undefined if it can. For commands that post something publicly before they
 * propose the job.
 */
export async function findRequestRefusal(
  ask: Pick<VideoRequest, 'admin' | 'locale' | 'operation' | 'prompt'>,
  context: ProposeJobContext,
): Promise<string | undefined> {
  const { videos } = context;
  const { operation = 'image-to-video', locale } = ask;
  if (!videos.enabled || listModelsFor(await videos.models(), operation).length === 0)
    return formatMediaText(ask, 'not-here', locale);
  return findPolicyRefusal(ask, context) ?? findPromptError(ask.prompt.trim(), ask);
}

/** Returns why the person may not create videos and pictures here; undefined if they may. */
export function findPolicyRefusal(
  ask: Pick<VideoRequest, 'admin' | 'locale' | 'operation'>,
  { settings }: Pick<ProposeJobContext, 'settings'>,
) {
  if (isSilent(settings.layers)) return localize(ask.locale, 'settings.refused.silent');
  const policy = resolve('video', settings.layers).value ?? DEFAULT_VALUES.video;
  if (policy === 'off') return formatMediaText(ask, 'off', ask.locale);
  return policy === 'admins' && !ask.admin ? formatMediaText(ask, 'admins', ask.locale) : undefined;
}

function findPromptError(
  prompt: string,
  { operation, locale }: Pick<VideoRequest, 'operation' | 'locale'>,
): string | undefined {
  if (prompt === '') return formatMediaText({ operation }, 'no-prompt', locale);
  return prompt.length > MAX_PROMPT_LENGTH
    ? localize(locale, 'video.long-prompt', { most: MAX_PROMPT_LENGTH })
    : undefined;
}

/** The changes in the modal of a proposed video. */
export type JobChanges = { readonly prompt?: string | undefined; readonly model?: string | undefined };
/** A person's confirmation of a video. */
export type JobConfirmation = JobChanges & Pick<VideoRequest, 'admin' | 'by'>;

/**
 * Starts a proposed video: reserves its price, changes the state and queues one task. Idempotent: a double click costs
 * nothing. The price is the one on the card. Permissions are checked again, since the proposal may be days old.
 */
export async function confirmJob(
  job: Job,
  context: ProposeJobContext,
  { prompt: words = job.prompt, model: requestedModel = job.model, admin, by }: JobConfirmation,
): Promise<StartedJob> {
  const { videos, budgets, time, settings } = context;
  const locale = toLocale(job.locale);
  if (!videos.enabled) return refuse(formatMediaText(job, 'not-here', locale));
  const offered = requestedModel === job.model ? [] : listModelsFor(await videos.models(), getOperation(job));
  const other = offered.find(({ name }) => name === requestedModel);
  const { name: model, price } = other ?? { name: job.model, price: job.price };
  if (job.state !== 'proposed') {
    // Another form was first: release what this one may have reserved for another price before a crash.
    if (job.price !== price || isTerminal(job.state))
      await budgets.releaseFixedPrice(toFixedPrice({ ...job, price }));
    if (job.state === 'requested') await enqueueVideoTask(job, 'asked', context.queue);
    return { kind: 'already', job };
  }
  const prompt = words.trim();
  const { operation } = job;
  const problem =
    findPolicyRefusal({ admin, locale, operation }, context) ??
    findPromptError(prompt, { operation, locale });
  if (problem !== undefined) return refuse(problem);
  const promptAuthors = prompt === job.prompt ? job.promptAuthors : listPromptAuthors(job, job.by, by.user);
  try {
    return await beginJob(job, { prompt, promptAuthors, model, price }, { ...context, videos });
  } catch (error) {
    if (error instanceof BudgetExceededError)
      return refuse(describeFailure(error, { now: time.now(), zone: settings.zone, locale })?.sentence ?? '');
    // A concurrent click was first, or its card was stored meanwhile.
    const there = error instanceof ConditionFailedError ? await videos.jobs.find(job.id) : undefined;
    if (!there) throw error;
    return confirmJob(there, context, { prompt, model: requestedModel, admin, by });
  }
}

/** Reserves the price, changes the state and queues the task. Throws BudgetExceededError or ConditionFailedError. */
async function beginJob(
  job: Job,
  agreed: Pick<Job, 'prompt' | 'promptAuthors' | 'model' | 'price'>,
  { videos, budgets, queue, time, log }: ProposeJobContext & { readonly videos: Videos },
): Promise<StartedJob> {
  const accounts = await budgets.reserveFixedPrice({
    ...toFixedPrice({ ...job, ...agreed }),
    maxMs: RESERVATION_MS,
  });
  const now = time.now();
  const agreement = { ...agreed, accounts, confirmedAt: now, due: now + REQUEUE_AFTER_MS };
  const requested = await videos.jobs.save(job, { ...agreement, state: 'requested' });
  await enqueueVideoTask(requested, 'asked', queue);
  log('video.job-requested', { job: job.id });
  // The job has started even if the warning cannot be read.
  const budgetWarning = await budgets.claimWarning(job.thread, job.by.user).catch(() => undefined);
  const warning = budgetWarning && `${localize(toLocale(job.locale), 'answers.step.budget', budgetWarning)}.`;
  return { kind: 'started', job: requested, warning };
}

/** Proposes and confirms a video in one step. */
export async function startJob(ask: VideoRequest, context: ProposeJobContext): Promise<StartedJob> {
  const proposed = await proposeJob(ask, context);
  return proposed.kind === 'refused' ? proposed : confirmJob(proposed.job, context, ask);
}

/**
 * Returns the ledger entry of a job. An unknown price counts as zero. Two forms of one proposal may have two prices: each
 * is its own reservation.
 */
const toFixedPrice = ({ id, price = '', thread, by }: Pick<Job, 'id' | 'price' | 'thread' | 'by'>) => ({
  id: `video-${id}-${price}`,
  atto: parseDollars(price) ?? 0n,
  thread,
  person: by.user,
});

/** Books the price of a finished job, or releases it if there is no video. Idempotent. */
export async function withVideoBudget(job: Job, { budgets }: Pick<VideoContext, 'budgets'>): Promise<void> {
  if (!job.accounts) return;
  const charge = job.bytes === undefined ? undefined : { model: job.model, priced: job.price !== undefined };
  await budgets.settleFixedPrice(job.accounts, toFixedPrice(job), charge);
}
