import type { VideoContext } from './context.ts';
import { parseDollars } from '../billing/budgets/index.ts';
import type { Attachment, MessageId, Thread } from '../domain/index.ts';
import { MAX_PROMPT_LENGTH, isTerminal, type Job, type JobRequester } from './jobs/index.ts';
import { DEFAULT_VALUES, resolve } from '../settings/rules/index.ts';
import { ConditionFailedError } from '../storage/index.ts';
import { type Locale, toLocale, localize } from '../i18n/index.ts';
import { describeFailure } from '../chat/display/error-messages.ts';
import { BudgetExceeded } from '../billing/budget-service.ts';
import type { Videos } from '../context/video-ports.ts';
import { enqueueVideoTask } from './enqueue.ts';

/** What a person asks to have made. */
export type JobQuestion = {
  /** The same for the same wish: it is granted once. */
  readonly wish: string;
  readonly by: JobRequester;
  /** Whether they administer the workspace. */
  readonly admin: boolean;
  readonly locale: Locale;
  readonly thread: Thread;
  readonly asked: MessageId;
  readonly picture: Attachment;
  readonly prompt: string;
  /** The usual one, if none is named. */
  readonly model?: string | undefined;
};

type Refused = { readonly kind: 'refused'; readonly sentence: string };
export type ProposedJob = { readonly kind: 'proposed'; readonly job: Job } | Refused;
export type StartedJob =
  | {
      readonly kind: 'started' | 'already';
      readonly job: Job;
      /** That most of a budget is used now, for who asked. */
      readonly warning?: string | undefined;
    }
  | Refused;
export type ProposeJobContext = Pick<
  VideoContext,
  'videos' | 'queue' | 'time' | 'log' | 'settings' | 'budgets'
>;

/** A job whose task was lost is found again after this. */
const LOST_AFTER_MS = 60_000;
/** Longer than a job takes, with a day of trying to show how it ended. */
const RESERVED_MS = 31 * 3_600_000;

const refused = (sentence: string): Refused => ({ kind: 'refused', sentence });

/**
 * Writes a video down without beginning it: nothing is spent before its person agrees to the price. The same wish again,
 * by a second delivery, finds the same job, whatever became of it since.
 */
export async function proposeJob(ask: JobQuestion, context: ProposeJobContext): Promise<ProposedJob> {
  const { videos } = context;
  const { locale, by, thread, asked, picture } = ask;
  if (!videos.enabled) return refused(localize(locale, 'video.not-here'));
  const model = videos.models.find(({ name }) => name === ask.model) ?? videos.models[0];
  if (!model) return refused(localize(locale, 'video.not-here'));
  const known = await videos.jobs.findByRequest(by, ask.wish);
  if (known) return { kind: 'proposed', job: known };
  const prompt = ask.prompt.trim();
  const wrong = wrongly(ask, context) ?? wrongPrompt(prompt, locale);
  if (wrong !== undefined) return refused(wrong);
  const { job } = await videos.jobs.create(ask.wish, {
    state: 'proposed',
    by,
    thread,
    asked,
    picture,
    prompt,
    locale,
    model: model.name,
    price: model.price,
    key: videos.newKey(),
  });
  return { kind: 'proposed', job };
}

/** Why a person may have no video made here; undefined for who may. */
function wrongly({ admin, locale }: Pick<JobQuestion, 'admin' | 'locale'>, { settings }: ProposeJobContext) {
  const policy = resolve('video', settings.layers).value ?? DEFAULT_VALUES.video;
  if (policy === 'off') return localize(locale, 'video.off');
  return policy === 'admins' && !admin ? localize(locale, 'video.admins') : undefined;
}

function wrongPrompt(prompt: string, locale: Locale): string | undefined {
  if (prompt === '') return localize(locale, 'video.no-prompt');
  return prompt.length > MAX_PROMPT_LENGTH
    ? localize(locale, 'video.long-prompt', { most: MAX_PROMPT_LENGTH })
    : undefined;
}

/** What a person filled into the form of a proposed video. */
export type JobRequest = { readonly prompt?: string | undefined; readonly model?: string | undefined };
/** Who agrees to a video, and to what. */
export type JobConfirmation = JobRequest & Pick<JobQuestion, 'admin'>;

/**
 * Begins a proposed video: its price is reserved, the job moved, one task put on the queue, all of it once. The same
 * again, by a double click or a second delivery, costs nothing. It costs what the person was shown, and what may be done is
 * asked once more: a proposal may have lain for days.
 */
export async function confirmJob(
  job: Job,
  context: ProposeJobContext,
  { prompt: words = job.prompt, model: wanted = job.model, admin }: JobConfirmation,
): Promise<StartedJob> {
  const { videos, budgets, time, settings } = context;
  const locale = toLocale(job.locale);
  if (!videos.enabled) return refused(localize(locale, 'video.not-here'));
  const other = wanted === job.model ? undefined : videos.models.find(({ name }) => name === wanted);
  const { name: model, price } = other ?? { name: job.model, price: job.price };
  if (job.state !== 'proposed') {
    // Another form was quicker: what this one may have reserved for another price, before it broke off, is given back.
    if (job.price !== price || isTerminal(job.state)) await budgets.disagree(costOf({ ...job, price }));
    if (job.state === 'requested') await enqueueVideoTask(job, 'asked', context.queue);
    return { kind: 'already', job };
  }
  const prompt = words.trim();
  const wrong = wrongly({ admin, locale }, context) ?? wrongPrompt(prompt, locale);
  if (wrong !== undefined) return refused(wrong);
  try {
    return await beginJob(job, { prompt, model, price }, { ...context, videos });
  } catch (error) {
    if (error instanceof BudgetExceeded)
      return refused(
        describeFailure(error, { now: time.now(), zone: settings.zone, locale })?.sentence ?? '',
      );
    // A second click at the same moment was quicker: it is the same wish. Or its card was written down meanwhile.
    const there = error instanceof ConditionFailedError ? await videos.jobs.find(job.id) : undefined;
    if (!there) throw error;
    return confirmJob(there, context, { prompt, model: wanted, admin });
  }
}

/** Reserves the price, moves the job, puts its task on the queue. Throws BudgetExceeded, or ConditionFailedError. */
async function beginJob(
  job: Job,
  agreed: Pick<Job, 'prompt' | 'model' | 'price'>,
  { videos, budgets, queue, time, log }: ProposeJobContext & { readonly videos: Videos },
): Promise<StartedJob> {
  const accounts = await budgets.agree({ ...costOf({ ...job, ...agreed }), maxMs: RESERVED_MS });
  const now = time.now();
  const begun = { ...agreed, accounts, agreedAt: now, due: now + LOST_AFTER_MS };
  const asked = await videos.jobs.save(job, { ...begun, state: 'requested' });
  await enqueueVideoTask(asked, 'asked', queue);
  log('video.job-requested', { job: job.id });
  // It is begun, whether or not this can be told.
  const found = await budgets.warning(job.thread, job.by.user).catch(() => undefined);
  const warning = found && `${localize(toLocale(job.locale), 'answers.step.budget', found)}.`;
  return { kind: 'started', job: asked, warning };
}

/** Proposes and begins at once, for somebody who said all there is to say. */
export async function startJob(ask: JobQuestion, context: ProposeJobContext): Promise<StartedJob> {
  const proposed = await proposeJob(ask, context);
  return proposed.kind === 'refused' ? proposed : confirmJob(proposed.job, context, ask);
}

/**
 * How a job stands in the ledger. A price that nobody knows counts as nothing. Two forms of one proposal may name two
 * prices: each is a reservation of its own.
 */
const costOf = ({ id, price = '', thread, by }: Pick<Job, 'id' | 'price' | 'thread' | 'by'>) => ({
  id: `video-${id}-${price}`,
  atto: parseDollars(price) ?? 0n,
  thread,
  person: by.user,
});

/** Books the price of a job that has ended, or gives it back where the service made nothing. Safe to repeat. */
export async function withVideoBudget(job: Job, { budgets }: Pick<VideoContext, 'budgets'>): Promise<void> {
  if (!job.accounts) return;
  const made = job.bytes === undefined ? undefined : { model: job.model, priced: job.price !== undefined };
  await budgets.finish(job.accounts, costOf(job), made);
}
