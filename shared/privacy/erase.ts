import type { PrivacyContext } from './context.ts';
import {
  PLATFORM_TRAITS,
  channelId,
  type Interaction,
  type Thread,
  type EraseTask,
  messageId,
  type MessageId,
  type PlatformName,
  type UserId,
  userId,
  type WorkspaceId,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Job, JobId } from '../video/jobs/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import { deleteBotMessages } from '../chat/index.ts';
import { forgetVideos } from '../video/index.ts';
import type { CollectionPlace, MessageRemoval } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { type RetentionContext, applyRetentionPage } from './apply-retention.ts';
import { PAGE_INTERVAL_MS } from './scan-throttle.ts';
import { releaseScanLease, takeScanLease, waitForScanLease } from './scan-lease.ts';
import { errorName } from '../utils/index.ts';

export type EraseContext = Pick<
  PrivacyContext,
  | 'erasure'
  | 'erasureMoments'
  | 'installs'
  | 'videos'
  | 'budgets'
  | 'queue'
  | 'time'
  | 'log'
  | 'userProfile'
  | 'messenger'
  | 'scanLease'
  | 'collections'
> &
  RetentionContext & { readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'layers'> };

/** Kept free at the end of a delivery, to queue the next task. */
const DELIVERY_RESERVE_MS = 20_000;

/**
 * After this time no write that was in flight at the removal of a workspace can arrive: longer than any function that
 * records questions runs, and shorter than the alarm for waiting tasks.
 */
const SECOND_PASS_DELAY_MS = 4 * 60_000;

/**
 * Erases the data of a workspace that removed the app, of some workspaces of an organization, of a person or of a thread, or
 * applies a shorter retention period. Works page by page; when the time of this delivery is over, another task continues
 * from the last page. Notifies the requester when it is complete, if that is still possible. Scans of the whole table wait
 * for each other.
 */
export async function erase(
  task: EraseTask,
  context: EraseContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const { platform, workspace } = task.thread;
  const { scope, secondPass } = task;
  const waitMs = (secondPass?.dueAt ?? 0) - context.time.now();
  if (waitMs > 0 && !delivery.isLast) return { kind: 'later', afterMs: waitMs };
  // First, so that nothing is answered there from now on.
  if (scope.kind === 'workspace' && PLATFORM_TRAITS[platform].hasInstallTokens)
    await context.installs.remove(workspace, scope.at);
  if (task.cursor === undefined && task.round === 0) await recordMoment(task, context);
  if (scope.kind === 'person')
    await forgetVideos(await listPersonJobs(platform, workspace, scope.user, context), context);
  let { cursor } = task;
  let erased = 0;
  for (;;) {
    if ((await scansTable(task, cursor, context.erasure)) && !(await takeScanLease(task, context)))
      return waitForScanLease(task, cursor, task.interaction, context, delivery);
    const page = await erasePage(task, context, cursor);
    erased += page.erased;
    if (page.next === undefined) break;
    cursor = page.next;
    if (context.time.now() < delivery.deadline - DELIVERY_RESERVE_MS) {
      await context.time.sleep(page.pauseMs ?? PAGE_INTERVAL_MS);
      continue;
    }
    const round = task.round + 1;
    await enqueueTask({ ...task, cursor, round }, String(round), context.queue);
    context.log('erasure.continued', { platform, workspace, scope: scope.kind, erased });
    return { kind: 'done' };
  }
  await releaseScanLease(task, context);
  if (!secondPass) await enqueueSecondPass(task, context);
  context.log('erasure.completed', { platform, workspace, scope: scope.kind, erased });
  if (task.interaction) await notifyCompleted(task.interaction, scope.kind, context);
  return { kind: 'done' };
}

/**
 * Queues the second pass over a removed workspace or channel. The erasure of a person has passes of its own; after the erasure of a
 * thread, each earlier question is removed when its task runs.
 */
async function enqueueSecondPass(
  task: EraseTask,
  { erasureMoments, queue, time }: EraseContext,
): Promise<void> {
  const { thread, scope } = task;
  if (scope.kind !== 'workspace' && scope.kind !== 'teams' && scope.kind !== 'channel') return;
  const { platform } = thread;
  const [team] = scope.kind === 'teams' ? scope.teams : [];
  const revokedAt = team && (await erasureMoments.find({ platform, workspace: team }));
  const sentUntil = scope.kind === 'workspace' ? scope.at : (revokedAt ?? time.now());
  const round = task.round + 1;
  const secondPass = { dueAt: time.now() + SECOND_PASS_DELAY_MS, sentUntil };
  await enqueueTask(
    { ...task, cursor: undefined, round, waitCount: undefined, secondPass },
    `${round}`,
    queue,
  );
}

/**
 * Records the time of the erasure. From then on, earlier messages are not read back from the platform, and earlier requests
 * are not executed. Runs before the removal: otherwise they could store removed items again.
 */
async function recordMoment(
  { thread, scope }: EraseTask,
  { erasureMoments, time }: EraseContext,
): Promise<void> {
  const { platform, workspace } = thread;
  if (scope.kind === 'thread') await erasureMoments.record({ thread }, time.now());
  // The time of the removal, not now: the app may be installed again since, and later requests count.
  if (scope.kind === 'workspace') await erasureMoments.record({ platform, workspace }, scope.at);
  for (const team of scope.kind === 'teams' ? scope.teams : [])
    await erasureMoments.record({ platform, workspace: team }, time.now());
  if (scope.kind !== 'person') return;
  const everywhere = scope.everywhere === true;
  const subject = { platform, workspace: everywhere ? undefined : workspace, user: scope.user };
  await erasureMoments.record(subject, time.now());
}

/** Returns whether the next page comes from a scan of the whole table. */
async function scansTable(
  { scope }: EraseTask,
  cursor: string | undefined,
  erasure: NonNullable<PrivacyContext['erasure']>,
): Promise<boolean> {
  if (scope.kind === 'thread' || scope.kind === 'message' || scope.kind === 'channel') return false;
  return scope.kind !== 'person' || erasure.scans({ user: scope.user }, cursor);
}

type ErasureRunContext = EraseContext & { readonly erasure: NonNullable<PrivacyContext['erasure']> };

function erasePage(
  { thread, message, asker, scope, secondPass }: EraseTask,
  context: ErasureRunContext,
  cursor: string | undefined,
) {
  const { erasure } = context;
  // Not for a workspace: after the removal of the app, the bot cannot delete messages any more.
  const deleteMessages: MessageRemoval = (messageThread, messages) =>
    deleteBotMessages(messageThread, messages, context);
  const eraseJobs = async (ids: readonly JobId[]) =>
    void (await forgetVideos(await findJobs(ids, context), context));
  if (scope.kind === 'thread')
    return erasure.threadPage(thread, asker, cursor, { deleteMessages, eraseJobs });
  if (scope.kind === 'message') return eraseMessage(thread, message, context);
  if (scope.kind === 'channel') return eraseChannel(thread, scope.inThread, context);
  const { platform, workspace } = thread;
  if (scope.kind === 'older') return applyRetentionPage(thread, cursor, context);
  if (scope.kind === 'workspace' || scope.kind === 'teams') {
    const teams = scope.kind === 'teams' ? scope.teams : undefined;
    const range = { platform, workspace, teams, sentUntil: secondPass?.sentUntil };
    return erasure.page(range, cursor, { eraseJobs });
  }
  const range = { platform, workspace: scope.everywhere ? undefined : workspace, user: scope.user };
  return erasure.page(range, cursor, { deleteMessages, eraseJobs });
}

/** Removes what a deleted message added to the collection of its channel. Its question and recordings are removed in their own tasks. */
async function eraseMessage(
  thread: Thread,
  message: MessageId,
  { collections }: EraseContext,
): Promise<{ readonly erased: number; readonly next?: undefined; readonly pauseMs?: undefined }> {
  await collections.removeMessage(thread, message);
  return { erased: 1 };
}

/** Removes the collection of a deleted channel, or what was added from a deleted thread of it. */
async function eraseChannel(
  place: CollectionPlace,
  inThread: MessageId | undefined,
  { collections }: EraseContext,
): Promise<{ readonly erased: number; readonly next?: undefined; readonly pauseMs?: undefined }> {
  if (inThread === undefined) await collections.removeAll(place);
  else await collections.removeThread(place, inThread);
  return { erased: 1 };
}

/** Notifies the requester. Their interaction token may have expired: then they are not notified. */
async function notifyCompleted(
  interaction: Interaction,
  kind: EraseTask['scope']['kind'],
  context: EraseContext,
): Promise<void> {
  const locale = await resolveInteractionLocale(interaction, context);
  const markdown = localize(
    locale,
    kind === 'thread' ? 'memory.forget.thread.done' : 'memory.forget.me.done',
  );
  await context.messenger
    .respond(interaction, { tone: 'good', parts: [{ kind: 'text', markdown }] })
    .catch((error: unknown) => {
      context.log('erasure.response-failed', { error: errorName(error) });
    });
}

/** More than a person may have. */
const MAX_JOBS = 1_000;

const listPersonJobs = async (
  platform: PlatformName,
  workspace: WorkspaceId,
  user: UserId,
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> =>
  videos.enabled ? videos.jobs.listByPerson({ platform, workspace, user }, MAX_JOBS) : [];

async function findJobs(
  ids: readonly JobId[],
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> {
  const jobs = await Promise.all(ids.map(async (id) => (videos.enabled ? videos.jobs.find(id) : undefined)));
  return jobs.filter((job) => job !== undefined);
}

/**
 * Queues the erasure of a workspace or person. `requestKey` deduplicates repeated requests; `requester` is notified when it
 * is complete.
 */
export async function enqueueErasure(
  platform: PlatformName,
  workspace: WorkspaceId,
  scope: Exclude<EraseTask['scope'], { kind: 'thread' }>,
  requestKey: string,
  queue: Queue,
  requester?: Interaction,
): Promise<void> {
  const root = messageId(requestKey);
  const thread = { platform, workspace, channel: channelId('none'), root };
  const asker = scope.kind === 'person' ? scope.user : userId('none');
  await enqueueTask(
    { ...createErasureTask(thread, root, asker, workspace), scope, interaction: requester },
    '0',
    queue,
  );
}

/** Queues the application of a shorter retention period to items that are already stored. */
export const enqueueRetention = ({ id, platform, workspace }: Interaction, queue: Queue): Promise<void> =>
  enqueueErasure(platform, workspace, { kind: 'older' }, `older-${id}`, queue);

/**
 * Queues the erasure of a thread, in the thread's message group: after the answers that are queued there. `requester` is
 * notified when it is complete.
 */
export async function enqueueThreadErasure(
  thread: Thread,
  requester: Interaction,
  queue: Queue,
): Promise<void> {
  const { by, id } = requester;
  const task = createErasureTask(thread, thread.root, by.user, by.workspace);
  await enqueueTask({ ...task, scope: { kind: 'thread' }, interaction: requester }, id, queue);
}

/** Queues the erasure of what a deleted message added to a collection. */
export async function enqueueMessageErasure(thread: Thread, message: MessageId, queue: Queue): Promise<void> {
  const task = createErasureTask(thread, message, userId('none'), thread.workspace);
  await enqueueTask({ ...task, scope: { kind: 'message' } }, '0', queue);
}

/** Queues the erasure of the collection of a deleted channel, or of what was added to it from a deleted thread. */
export async function enqueueChannelErasure(
  { platform, workspace, channel }: CollectionPlace,
  inThread: MessageId | undefined,
  queue: Queue,
): Promise<void> {
  const root = inThread ?? messageId(`deleted-${channel}`);
  const task = createErasureTask({ platform, workspace, channel, root }, root, userId('none'), workspace);
  await enqueueTask({ ...task, scope: { kind: 'channel', inThread } }, 'channel', queue);
}

function createErasureTask(thread: Thread, message: MessageId, asker: UserId, askerWorkspace: WorkspaceId) {
  return { v: 1 as const, kind: 'erase' as const, thread, message, asker, askerWorkspace, round: 0 };
}
