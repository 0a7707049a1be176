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
import type { MessageRemoval } from '../storage/index.ts';
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
  const { of, secondPass } = task;
  const waitMs = (secondPass?.dueAt ?? 0) - context.time.now();
  if (waitMs > 0 && !delivery.isLast) return { kind: 'later', afterMs: waitMs };
  // First, so that nothing is answered there from now on.
  if (of.kind === 'workspace' && PLATFORM_TRAITS[platform].hasInstallTokens)
    await context.installs.remove(workspace, of.at);
  if (task.from === undefined && task.round === 0) await recordMoment(task, context);
  if (of.kind === 'person')
    await forgetVideos(await listPersonJobs(platform, workspace, of.user, context), context);
  let from = task.from;
  let erased = 0;
  for (;;) {
    if ((await scansTable(task, from, context.erasure)) && !(await takeScanLease(task, context)))
      return waitForScanLease(task, from, task.tell, context, delivery);
    const page = await erasePage(task, context, from);
    erased += page.erased;
    if (page.next === undefined) break;
    from = page.next;
    if (context.time.now() < delivery.deadline - DELIVERY_RESERVE_MS) {
      await context.time.sleep(page.pauseMs ?? PAGE_INTERVAL_MS);
      continue;
    }
    const round = task.round + 1;
    await enqueueTask({ ...task, from, round }, String(round), context.queue);
    context.log('erasure.continued', { platform, workspace, scope: of.kind, erased });
    return { kind: 'done' };
  }
  await releaseScanLease(task, context);
  if (!secondPass) await enqueueSecondPass(task, context);
  context.log('erasure.completed', { platform, workspace, scope: of.kind, erased });
  if (task.tell) await notifyCompleted(task.tell, of.kind, context);
  return { kind: 'done' };
}

/**
 * Queues the second pass over a removed workspace. The erasure of a person has passes of its own; after the erasure of a
 * thread, each earlier question is removed when its task runs.
 */
async function enqueueSecondPass(
  task: EraseTask,
  { erasureMoments, queue, time }: EraseContext,
): Promise<void> {
  const { thread, of } = task;
  if (of.kind !== 'workspace' && of.kind !== 'teams') return;
  const { platform } = thread;
  const [team] = of.kind === 'teams' ? of.teams : [];
  const revokedAt = team && (await erasureMoments.find({ platform, workspace: team }));
  const sentUntil = of.kind === 'workspace' ? of.at : (revokedAt ?? time.now());
  const round = task.round + 1;
  const secondPass = { dueAt: time.now() + SECOND_PASS_DELAY_MS, sentUntil };
  await enqueueTask({ ...task, from: undefined, round, waits: undefined, secondPass }, `${round}`, queue);
}

/**
 * Records the time of the erasure. From then on, earlier messages are not read back from the platform, and earlier requests
 * are not executed. Runs before the removal: otherwise they could store removed items again.
 */
async function recordMoment(
  { thread, of }: EraseTask,
  { erasureMoments, time }: EraseContext,
): Promise<void> {
  const { platform, workspace } = thread;
  if (of.kind === 'thread') await erasureMoments.record({ thread }, time.now());
  // The time of the removal, not now: the app may be installed again since, and later requests count.
  if (of.kind === 'workspace') await erasureMoments.record({ platform, workspace }, of.at);
  for (const team of of.kind === 'teams' ? of.teams : [])
    await erasureMoments.record({ platform, workspace: team }, time.now());
  if (of.kind !== 'person') return;
  const everywhere = of.everywhere === true;
  const subject = { platform, workspace: everywhere ? undefined : workspace, user: of.user };
  await erasureMoments.record(subject, time.now());
}

/** Returns whether the next page comes from a scan of the whole table. */
async function scansTable(
  { of }: EraseTask,
  from: string | undefined,
  erasure: NonNullable<PrivacyContext['erasure']>,
): Promise<boolean> {
  if (of.kind === 'thread') return false;
  return of.kind !== 'person' || erasure.scans({ user: of.user }, from);
}

type ErasureRunContext = EraseContext & { readonly erasure: NonNullable<PrivacyContext['erasure']> };

function erasePage(
  { thread, asker, of, secondPass }: EraseTask,
  context: ErasureRunContext,
  from: string | undefined,
) {
  const { erasure } = context;
  // Not for a workspace: after the removal of the app, the bot cannot delete messages any more.
  const deleteMessages: MessageRemoval = (messageThread, messages) =>
    deleteBotMessages(messageThread, messages, context);
  const eraseJobs = async (ids: readonly JobId[]) =>
    void (await forgetVideos(await findJobs(ids, context), context));
  if (of.kind === 'thread') return erasure.threadPage(thread, asker, from, { deleteMessages, eraseJobs });
  const { platform, workspace } = thread;
  if (of.kind === 'older') return applyRetentionPage(thread, from, context);
  if (of.kind === 'workspace' || of.kind === 'teams') {
    const teams = of.kind === 'teams' ? of.teams : undefined;
    const scope = { platform, workspace, teams, sentUntil: secondPass?.sentUntil };
    return erasure.page(scope, from, { eraseJobs });
  }
  const scope = { platform, workspace: of.everywhere ? undefined : workspace, user: of.user };
  return erasure.page(scope, from, { deleteMessages, eraseJobs });
}

/** Notifies the requester. Their interaction token may have expired: then they are not notified. */
async function notifyCompleted(
  interaction: Interaction,
  kind: EraseTask['of']['kind'],
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
  of: Exclude<EraseTask['of'], { kind: 'thread' }>,
  requestKey: string,
  queue: Queue,
  requester?: Interaction,
): Promise<void> {
  const root = messageId(requestKey);
  const thread = { platform, workspace, channel: channelId('none'), root };
  const asker = of.kind === 'person' ? of.user : userId('none');
  await enqueueTask(
    { ...createErasureTask(thread, root, asker, workspace), of, tell: requester },
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
  await enqueueTask({ ...task, of: { kind: 'thread' }, tell: requester }, id, queue);
}

function createErasureTask(thread: Thread, message: MessageId, asker: UserId, askerWorkspace: WorkspaceId) {
  return { v: 1 as const, kind: 'erase' as const, thread, message, asker, askerWorkspace, round: 0 };
}
