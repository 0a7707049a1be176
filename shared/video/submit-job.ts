import { inputKey, type Job, JOB_LIMIT_MS, nextPoll } from './jobs/index.ts';
import { removeMetadata } from '../image-files/index.ts';
import { CannotPostError, FileUnavailableError, ThreadDeletedError } from '../platforms/ports/platform.ts';
import { localize } from '../i18n/index.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream/index.ts';
import { RateLimitExceededError } from '../rate-limits/errors.ts';
import { iterableOf } from '../utils/iterable-of.ts';
import { begunAt, endJob, type EnabledVideoContext, updateJobCard, shownJob } from './job-card-updates.ts';
import { describeFailure } from '../chat/display/error-messages.ts';
import { reasonText, localeIn } from './labels.ts';
import { VideoPermit } from './video-permit.ts';

const MB = 1024 * 1024;
/** A picture of more is not fetched. As its content in a request it takes a third more. */
const MAX_BYTES = 10 * MB;
/** How long the service may fetch the picture. */
const PICTURE_SECONDS = 3_600;
/** How long it is tried to hand a job in. */
const SUBMIT_RETRY_WINDOW_MS = 3_600_000;
const RETRY_DELAY_MS = 30_000;
/** After these, the same request may be taken: its key makes sure that it is taken once. */
const RETRYABLE: ReadonlySet<UpstreamErrorKind> = new Set([
  'rate-limited',
  'at-capacity',
  'server',
  'connection',
  'timeout',
  'cut',
]);

/**
 * Hands a job in. The card with its price is there first, and so is the hash of what its callback will show: the
 * callback may be quicker than the answer to this. A try that broke off is made again under the same key.
 */
export async function submitJob(job: Job, context: EnabledVideoContext): Promise<Job | undefined> {
  const { videos, time } = context;
  if (job.cancelWanted === true && job.triedAt === undefined)
    return endJob(job, 'cancelled', undefined, context);
  if (isTooLate(job, time.now())) return endJob(job, 'failed', reasonText(job, 'not-taken'), context);
  let card: Job['card'];
  try {
    // What it will cost is said before it is spent; where it cannot be said, nothing is.
    // A card that proposed the video shows that it was agreed to.
    ({ card } = job.card === undefined || job.triedAt === undefined ? await shownJob(job, context) : job);
  } catch (error) {
    if (!(error instanceof ThreadDeletedError || error instanceof CannotPostError)) throw error;
    return endJob(job, 'failed', reasonText(job, 'no-thread'), context);
  }
  const permits = new VideoPermit(job, context);
  const wait = await permits.wait();
  if (wait !== undefined) {
    const held = { waits: true, trouble: undefined };
    const waiting = await videos.jobs.save(job, { card, ...held, due: time.now() + wait });
    if (job.waits !== true || job.trouble !== undefined) await updateJobCard(waiting, context);
    return undefined;
  }
  // Until it is handed in, nothing was asked of the service: another try takes a permit of its own.
  const ready = await prepared(job, card, permits, context).catch(async (error: unknown) => {
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
    return await refused(tried, error, context);
  } finally {
    await permits.end();
  }
}

/** What a job is handed in with, and the job that says so; or why its picture cannot be had. */
async function prepared(job: Job, card: Job['card'], permits: VideoPermit, context: EnabledVideoContext) {
  const { videos, time } = context;
  // Not before its turn: the picture's address does not last as long as a line may be.
  const picture = await pictureOf(job, context);
  if ('refused' in picture) return picture;
  const secret = await videos.secretOf(job.id);
  const tried = await videos.jobs.save(job, {
    card,
    // Under another key the service would take it for another job.
    keyName: job.keyName ?? permits.key,
    triedAt: job.triedAt ?? time.now(),
    secretHash: videos.hashOf(secret),
    input: picture.kept,
    due: time.now() + RETRY_DELAY_MS,
  });
  return { tried, address: picture.address, secret };
}

/** A job that waits for its permit waits as long as one that is made; one that was tried, for an hour. */
const isTooLate = (job: Job, now: number): boolean =>
  job.triedAt === undefined ? now - begunAt(job) > JOB_LIMIT_MS : now - job.triedAt > SUBMIT_RETRY_WINDOW_MS;

type Submission = { readonly address: string; readonly secret: string; readonly permits: VideoPermit };

async function sendSubmission(
  job: Job,
  { address, secret, permits }: Submission,
  context: EnabledVideoContext,
) {
  const { videos, time } = context;
  const field = videos.models.find(({ name }) => name === job.model)?.field ?? 'image_url';
  const request = {
    model: job.model,
    input: { prompt: job.prompt, [field]: address },
    webhookUrl: videos.callbackAddress(job.id, secret),
    idempotencyKey: job.key,
  };
  const handle = await videos.vision(job.keyName).submit(request, permits.options);
  const submittedAt = time.now();
  const due = nextPoll(submittedAt, submittedAt);
  const held = { waits: undefined, trouble: undefined };
  const submitted = await videos.jobs.save(job, {
    ...held,
    state: 'submitted',
    handle,
    submittedAt,
    seenAt: submittedAt,
    due,
  });
  await updateJobCard(submitted, context);
  // Whoever was early, the callback or the wish to cancel, is served at once; else it is too early to ask.
  return submitted.cancelWanted === true ? submitted : undefined;
}

/** The service did not take the job, or nobody knows whether it did. */
async function refused(job: Job, error: unknown, context: EnabledVideoContext): Promise<Job | undefined> {
  const { videos, time, log } = context;
  const later = async (ms: number, held: Pick<Job, 'waits' | 'trouble'>): Promise<undefined> => {
    const waiting = await videos.jobs.save(job, {
      waits: undefined,
      trouble: undefined,
      ...held,
      due: time.now() + ms,
    });
    if (waiting.waits !== job.waits || waiting.trouble !== job.trouble) await updateJobCard(waiting, context);
  };
  if (error instanceof RateLimitExceededError) return later(error.retryAfterMs, { waits: true });
  if (!(error instanceof UpstreamError)) throw error;
  const { kind, code, status } = error;
  log('video.submit-failed', { job: job.id, error: kind, code });
  if (kind === 'auth' && job.keyName !== undefined && (await videos.refused(job.keyName, status))) {
    return videos.jobs.save(job, { keyName: undefined });
  }
  const isFull = kind === 'rate-limited' || kind === 'at-capacity';
  if (RETRYABLE.has(kind))
    return later(error.retryAfterMs ?? RETRY_DELAY_MS, isFull ? { waits: true } : { trouble: 'not-taken' });
  const locale = localeIn(job);
  const why =
    kind === 'bad-request' ? undefined : describeFailure(error, { now: time.now(), locale })?.sentence;
  return endJob(job, 'failed', why ?? reasonText(job, 'refused'), context);
}

/** The picture in a form that the service can fetch; never the platform's own address, which takes our token. */
async function pictureOf(
  job: Job,
  { videos, platform, time, log }: EnabledVideoContext,
): Promise<{ readonly address: string; readonly kept?: string } | { readonly refused: string }> {
  if (job.input !== undefined) return { address: job.input, kept: job.input };
  const turn = {
    thread: job.thread,
    message: job.asked,
    asker: job.by.user,
    askerWorkspace: job.by.workspace,
  };
  let bytes: Uint8Array;
  try {
    bytes = await platform.downloadFile(turn, job.picture, MAX_BYTES);
  } catch (error) {
    if (error instanceof FileUnavailableError) return { refused: localize(localeIn(job), ...error.why) };
    throw error;
  }
  const cleaned = removeMetadata(bytes);
  if (typeof cleaned === 'string') {
    log('video.image-rejected', { job: job.id, reason: cleaned });
    return { refused: reasonText(job, cleaned) };
  }
  const { mimetype } = cleaned;
  if (videos.pictureAs === 'data') {
    return { address: `data:${mimetype};base64,${Buffer.from(cleaned.bytes).toString('base64')}` };
  }
  const key = inputKey(job.id);
  await videos.media.put(key, { bytes: cleaned.bytes.length, mimetype, content: iterableOf(cleaned.bytes) });
  const address = videos.media.presignedUrl(key, PICTURE_SECONDS * 2, time.now());
  return { address, kept: address };
}
