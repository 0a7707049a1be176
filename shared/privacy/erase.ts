import type { PrivacyContext } from './context.ts';
import {
  PLATFORM_TRAITS,
  channelId,
  type Interaction,
  type Thread,
  type EraseTask,
  messageId,
  textCard,
  type MessageId,
  type PlatformName,
  type UserId,
  userId,
  type WorkspaceId,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import { enqueueNamedTask, enqueueTask } from '../task-queue/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Job, JobId } from '../video/jobs/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import { deleteBotMessages } from '../chat/index.ts';
import { forgetVideos } from '../video/index.ts';
import type { CollectionPlace, MessageRemoval } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { replyPrivately } from '../ports/index.ts';
import { type RetentionContext, applyRetentionPage } from './apply-retention.ts';
import { eraseChannel } from './erase-channel.ts';
import { PAGE_INTERVAL_MS } from './scan-throttle.ts';
import { enqueueSecondPass, getErasureSubject, recordMoment, SECOND_PASS_DELAY_MS } from './second-pass.ts';
import { releaseScanLease, takeScanLease, waitForScanLease } from './scan-lease.ts';

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
  | 'schedules'
> &
  RetentionContext & { readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'layers'> };

/** Kept free at the end of a delivery, to queue the next task. */
const DELIVERY_RESERVE_MS = 20_000;

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
  // The round does not matter: a first pass that was given up before it recorded the moment begins again with a later one.
  if (task.cursor === undefined && !secondPass) await recordMoment(task, context);
  // Not in the second pass: videos of later requests stay.
  if (scope.kind === 'person' && !secondPass)
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
    const pauseMs = page.pauseMs ?? PAGE_INTERVAL_MS;
    if (context.time.now() + pauseMs < delivery.deadline - DELIVERY_RESERVE_MS) {
      await context.time.sleep(pauseMs);
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

/** Returns whether the next page comes from a scan of the whole table. */
async function scansTable(
  { scope }: EraseTask,
  cursor: string | undefined,
  erasure: NonNullable<PrivacyContext['erasure']>,
): Promise<boolean> {
  if (!SCANNING_SCOPES.has(scope.kind)) return false;
  return scope.kind !== 'person' || erasure.scans({ user: scope.user }, cursor);
}

const SCANNING_SCOPES: ReadonlySet<EraseTask['scope']['kind']> = new Set([
  'workspace',
  'teams',
  'person',
  'older',
]);

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
  if (scope.kind === 'channel')
    return eraseChannel(thread, scope.inThread, secondPass !== undefined, context);
  if (scope.kind === 'document') return eraseParts(thread, scope.id, context);
  const { platform, workspace } = thread;
  if (scope.kind === 'older') return applyRetentionPage(thread, cursor, context);
  if (scope.kind === 'workspace' || scope.kind === 'teams') {
    const teams = scope.kind === 'teams' ? scope.teams : undefined;
    const range = { platform, workspace, teams, sentUntil: secondPass?.sentUntil };
    return erasure.page(range, cursor, { eraseJobs });
  }
  const range = { ...getErasureSubject(thread, scope), sentUntil: secondPass?.sentUntil };
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

async function eraseParts(
  place: CollectionPlace,
  id: string,
  { collections }: EraseContext,
): Promise<{ readonly erased: number; readonly next?: undefined; readonly pauseMs?: undefined }> {
  await collections.removeParts(place, id);
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
  await replyPrivately(interaction, textCard(markdown, 'good'), locale, context, 'erasure.response-failed');
}

/** More than a person may have. */
const MAX_JOBS = 1_000;

const listPersonJobs = async (
  platform: PlatformName,
  workspace: WorkspaceId,
  user: UserId,
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> => videos.jobs.listByPerson({ platform, workspace, user }, MAX_JOBS);

async function findJobs(
  ids: readonly JobId[],
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> {
  const jobs = await Promise.all(ids.map((id) => videos.jobs.find(id)));
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

/**
 * Queues the second removal of a document, once for several requests: what a process that died while it stored the document wrote late is removed with it.
 */
export async function enqueueDocumentErasure(
  { platform, workspace, channel }: CollectionPlace,
  id: string,
  { queue, now }: { readonly queue: Queue; readonly now: () => number },
): Promise<void> {
  const root = messageId(id);
  const task = createErasureTask({ platform, workspace, channel, root }, root, userId('none'), workspace);
  const secondPass = { dueAt: now() + SECOND_PASS_DELAY_MS, sentUntil: now() };
  await enqueueNamedTask({ ...task, scope: { kind: 'document', id }, secondPass }, 'document', queue);
}

function createErasureTask(thread: Thread, message: MessageId, asker: UserId, askerWorkspace: WorkspaceId) {
  return { v: 1 as const, kind: 'erase' as const, thread, message, asker, askerWorkspace, round: 0 };
}
