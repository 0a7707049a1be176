import {
  DEFAULT_PICTURE_FIELD,
  getOperation,
  inputKey,
  type Job,
  JOB_LIMIT_MS,
  listModelsFor,
  needsPicture,
  nextPoll,
} from './jobs/index.ts';
import { describeFailure, failureFacts } from '../chat/index.ts';
import { removeMetadata } from '../image-files/index.ts';
import { CannotPostError, FileUnavailableError, ThreadDeletedError } from '../platforms/ports/index.ts';
import { localize } from '../i18n/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream/index.ts';
import { maskAndCount } from '../private-data/index.ts';
import { RateLimitExceededError } from '../rate-limits/index.ts';
import { iterableOf } from '../utils/index.ts';
import {
  getStartTime,
  endJob,
  type EnabledVideoContext,
  updateJobCard,
  postJobCard,
} from './job-card-updates.ts';
import { formatMediaText, formatFailureReason, getJobLocale, withDetails } from './display/labels.ts';
import { VideoPermit } from './video-permit.ts';

const MB = 1024 * 1024;
/** Largest picture. Base64 in a request takes a third more. */
const MAX_PICTURE_BYTES = 10 * MB;
/** How long a submission is retried. */
const SUBMIT_RETRY_WINDOW_MS = 3_600_000;
/** How long the URL of the picture is valid: for the retries, all of which send the same one, and then an hour for the service to download it. */
const PICTURE_URL_SECONDS = 7_200;
const RETRY_DELAY_MS = 30_000;
/** The redirect that follows a request which was accepted. */
const SEE_OTHER = 303;
/** Retryable errors. The idempotency key makes a repeated submission safe. */
const RETRYABLE: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate-limited',
  'at-capacity',
  'server',
  'connection',
  'timeout',
  'cut',
]);

/**
 * Submits a job. First posts the card with the price and stores the hash of the callback secret: the callback may arrive
 * before the response. An interrupted attempt is repeated with the same idempotency key.
 */
export async function submitJob(job: Job, context: EnabledVideoContext): Promise<Job | undefined> {
  const { videos, time } = context;
  const isExpired = isSubmitExpired(job, time.now());
  // A job that the service may have is submitted again, to get its handle, and then cancelled there.
  if (job.isCancelRequested === true && (isExpired || !mayHaveBeenSubmitted(job)))
    return endJob(job, 'cancelled', undefined, context);
  if (isExpired) return endJob(job, 'failed', formatFailureReason(job, 'not-taken'), context);
  let card: Job['card'];
  try {
    // Nothing is spent before the card shows the price. A proposal card changes to confirmed.
    ({ card } =
      job.card === undefined || job.firstAttemptAt === undefined ? await postJobCard(job, context) : job);
  } catch (error) {
    if (!(error instanceof ThreadDeletedError || error instanceof CannotPostError)) throw error;
    return endJob(job, 'failed', formatFailureReason(job, 'no-thread'), context);
  }
  const permits = new VideoPermit(job, context);
  const wait = await permits.wait();
  if (wait !== undefined) {
    const status = { isRateLimited: true, serviceProblem: undefined };
    const waiting = await videos.jobs.save(job, { card, ...status, due: time.now() + wait });
    if (job.isRateLimited !== true || job.serviceProblem !== undefined) await updateJobCard(waiting, context);
    return undefined;
  }
  // No request was sent yet; the next attempt takes its own permit.
  const ready = await prepareSubmission(job, card, permits, context).catch(async (error: unknown) => {
    await permits.release().catch(() => undefined);
    throw error;
  });
  if ('refused' in ready) {
    await permits.release();
    return endJob(job, 'failed', ready.refused, context);
  }
  const { tried, address, secret } = ready;
  try {
    return await sendSubmission(tried, { address, secret, permits }, context);
  } catch (error) {
    const wasOnlyRateLimited = permits.wasOnlyRateLimited && !mayHaveBeenSubmitted(job);
    return await handleSubmitError(tried, error, wasOnlyRateLimited, context);
  } finally {
    await permits.end();
  }
}

/** Prepares the submission and stores it in the job. Returns `refused` if its prompt or picture is missing: it was erased with its author. */
async function prepareSubmission(
  job: Job,
  card: Job['card'],
  permits: VideoPermit,
  context: EnabledVideoContext,
) {
  const { videos, time } = context;
  if (job.prompt === '') return { refused: formatMediaText(job, 'no-prompt', getJobLocale(job)) };
  // Not before the permit: the wait may be longer than the URL is valid.
  const picture = await preparePicture(job, context);
  if ('refused' in picture) return picture;
  const secret = await videos.secretOf(job.id);
  const tried = await videos.jobs.save(job, {
    card,
    // With another API key, the service would treat it as another job.
    keyName: job.keyName ?? permits.key,
    firstAttemptAt: job.firstAttemptAt ?? time.now(),
    wasOnlyRateLimited: undefined,
    secretHash: videos.hashOf(secret),
    input: picture.stored,
    due: time.now() + RETRY_DELAY_MS,
  });
  return { tried, address: picture.address, secret };
}

/** A job waits for its first permit up to the job limit; after the first attempt it is retried for an hour. */
const isSubmitExpired = (job: Job, now: number): boolean =>
  job.firstAttemptAt === undefined
    ? now - getStartTime(job) > JOB_LIMIT_MS
    : now - job.firstAttemptAt > SUBMIT_RETRY_WINDOW_MS;

/** Whether an attempt may have created the job at the service: its response was lost, or an error other than 429. */
const mayHaveBeenSubmitted = ({ firstAttemptAt, wasOnlyRateLimited }: Job): boolean =>
  firstAttemptAt !== undefined && wasOnlyRateLimited !== true;

type Submission = {
  readonly address: string | undefined;
  readonly secret: string;
  readonly permits: VideoPermit;
};

async function sendSubmission(
  job: Job,
  { address, secret, permits }: Submission,
  context: EnabledVideoContext,
) {
  const { videos, time } = context;
  const operation = getOperation(job);
  const known = listModelsFor(await videos.models(), operation).find(({ name }) => name === job.model);
  const field = known?.field ?? DEFAULT_PICTURE_FIELD;
  const { text: prompt, masked } = maskAndCount(job.prompt, context.settings.layers);
  const request = {
    model: job.model,
    operation,
    input: {
      prompt,
      ...(address !== undefined && { [field]: address }),
    },
    webhookUrl: videos.callbackAddress(job.id, secret),
    idempotencyKey: job.key,
  };
  const handle = await videos.vision(job.keyName).submit(request, permits.options);
  const submittedAt = time.now();
  const due = nextPoll(submittedAt, submittedAt);
  const status = { isRateLimited: undefined, serviceProblem: undefined };
  const submitted = await videos.jobs.save(job, {
    ...status,
    state: 'submitted',
    handle,
    masked,
    submittedAt,
    statusReadAt: submittedAt,
    due,
  });
  await updateJobCard(submitted, context);
  // A cancellation takes effect at once; otherwise it is too early to poll.
  return submitted.isCancelRequested === true ? submitted : undefined;
}

/** Handles a submission that failed or whose result is unknown. `wasOnlyRateLimited`: the service certainly has no job. */
async function handleSubmitError(
  job: Job,
  error: unknown,
  wasOnlyRateLimited: boolean,
  context: EnabledVideoContext,
): Promise<Job | undefined> {
  const { videos, time, log } = context;
  const retryLater = async (
    ms: number,
    status: Pick<Job, 'isRateLimited' | 'serviceProblem'>,
  ): Promise<undefined> => {
    const waiting = await videos.jobs.save(job, {
      isRateLimited: undefined,
      serviceProblem: undefined,
      wasOnlyRateLimited: wasOnlyRateLimited || undefined,
      ...status,
      due: time.now() + ms,
    });
    if (waiting.isRateLimited !== job.isRateLimited || waiting.serviceProblem !== job.serviceProblem)
      await updateJobCard(waiting, context);
  };
  const current = wasOnlyRateLimited ? await videos.jobs.find(job.id) : undefined;
  // The person cancelled during the attempt, and nothing else has happened to the job.
  if (current?.isCancelRequested === true && current.version === job.version + 1)
    return endJob(current, 'cancelled', undefined, context);
  if (error instanceof RateLimitExceededError) return retryLater(error.retryAfterMs, { isRateLimited: true });
  if (!(error instanceof UpstreamError)) throw error;
  const { kind, status } = error;
  const facts = failureFacts(error);
  log('video.submit-failed', { job: job.id, error: kind, ...facts });
  if (kind === 'auth' && job.keyName !== undefined && (await videos.rejectKey(job.keyName, status))) {
    return videos.jobs.save(job, { keyName: undefined });
  }
  const isFull = kind === 'rate-limited' || kind === 'at-capacity';
  if (RETRYABLE.has(kind))
    return retryLater(
      error.retryAfterMs ?? RETRY_DELAY_MS,
      isFull ? { isRateLimited: true } : { serviceProblem: 'not-taken' },
    );
  const reason = withDetails(describeSubmitFailure(job, error, time.now()), facts, getJobLocale(job));
  return endJob(job, 'failed', reason, context);
}

/** Describes a permanent failure of a submission. `now`: ms since 1970. */
function describeSubmitFailure(job: Job, error: UpstreamError, now: number): string {
  const isRedirected = (error.status ?? 0) >= 300 && error.status !== SEE_OTHER;
  // The response was no error, so the job may be made and billed, but nothing can ask for it.
  if (error.kind === 'malformed' && !isRedirected) return formatFailureReason(job, 'no-handle');
  const locale = getJobLocale(job);
  const known = error.kind === 'bad-request' ? undefined : describeFailure(error, { now, locale })?.sentence;
  return known ?? formatFailureReason(job, 'refused');
}

/** Returns the picture of a job, if it has one, as a URL for the service; never the platform's URL, which needs our token. */
async function preparePicture(
  job: Job,
  { videos, platform, time, log }: EnabledVideoContext,
): Promise<
  { readonly address: string | undefined; readonly stored?: string } | { readonly refused: string }
> {
  if (job.input !== undefined) return { address: job.input, stored: job.input };
  if (job.picture === undefined)
    return needsPicture(getOperation(job))
      ? { refused: localize(getJobLocale(job), 'video.no-picture') }
      : { address: undefined };
  const turn = {
    thread: job.thread,
    message: job.requestMessage,
    asker: job.by.user,
    askerWorkspace: job.by.workspace,
  };
  let bytes: Uint8Array;
  try {
    bytes = await platform.downloadFile(turn, job.picture, MAX_PICTURE_BYTES);
  } catch (error) {
    if (error instanceof FileUnavailableError) return { refused: localize(getJobLocale(job), ...error.why) };
    throw error;
  }
  const cleaned = removeMetadata(bytes);
  if (typeof cleaned === 'string') {
    log('video.image-rejected', { job: job.id, reason: cleaned });
    return { refused: formatFailureReason(job, cleaned) };
  }
  const { mimetype } = cleaned;
  if (videos.pictureAs === 'data') {
    return { address: `data:${mimetype};base64,${Buffer.from(cleaned.bytes).toString('base64')}` };
  }
  const key = inputKey(job.id);
  await videos.media.put(key, { bytes: cleaned.bytes.length, mimetype, content: iterableOf(cleaned.bytes) });
  const address = videos.media.presignedUrl(key, PICTURE_URL_SECONDS, time.now());
  return { address, stored: address };
}
