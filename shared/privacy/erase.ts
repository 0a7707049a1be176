import type { PrivacyContext } from './context.ts';
import {
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
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { Job, JobId } from '../video/jobs/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import type { QueueDelivery, TaskResult } from '../context/index.ts';
import { deleteBotMessages } from '../chat/index.ts';
import { forgetVideos } from '../video/index.ts';
import type { MessageRemoval } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { type RetentionContext, applyRetentionPage } from './apply-retention.ts';
import { PAGE_INTERVAL_MS } from './scan-throttle.ts';
import { releaseScanLease, takeScanLease, waitForScanLease } from './scan-turn.ts';
import { errorName } from '../utils/error-name.ts';

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

/** What a delivery keeps back of its time. */
const CLOSING_MS = 20_000;

/**
 * How long after the removal of a workspace a write may arrive that was in flight: longer than any function that
 * records questions may run, and shorter than what the alarm for waiting tasks allows.
 */
const SECOND_PASS_DELAY_MS = 4 * 60_000;

/**
 * Forgets all of a workspace that removed the app, of some workspaces of an organisation, of a person, of a thread, or what is older than is kept. Goes through the table a page at a time;
 * when the time of this delivery is over, the rest is a task of its own, which begins where this one stopped. Whoever
 * wanted it is told when it is done, if they can still be told. What has to read the whole table waits until nobody else does.
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
  // First: from now on nothing is answered there.
  if (of.kind === 'workspace' && platform === 'slack') await context.installs.remove(workspace, of.at);
  if (task.from === undefined && task.round === 0) await recordMoment(task, context);
  if (of.kind === 'person')
    await forgetVideos(await theirJobs(platform, workspace, of.user, context), context);
  let from = task.from;
  let erased = 0;
  for (;;) {
    if ((await scans(task, from, context.erasure)) && !(await takeScanLease(task, context)))
      return waitForScanLease(task, from, task.tell, context, delivery);
    const page = await pageOf(task, context, from);
    erased += page.erased;
    if (page.next === undefined) break;
    from = page.next;
    if (context.time.now() < delivery.deadline - CLOSING_MS) {
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
  if (task.tell) await notifyDone(task.tell, of.kind, context);
  return { kind: 'done' };
}

/**
 * Queues the second pass over a removed workspace. A person's erasure has its own passes; after that of a thread, the
 * questions from before are removed when their tasks come.
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

/** From now on nothing that was said before is read back from the platform, and nothing that was asked for before is done: before anything is removed that it may be stored as again. */
async function recordMoment(
  { thread, of }: EraseTask,
  { erasureMoments, time }: EraseContext,
): Promise<void> {
  const { platform, workspace } = thread;
  if (of.kind === 'thread') await erasureMoments.record({ thread }, time.now());
  // It may have come back since: what is asked for then is done.
  if (of.kind === 'workspace') await erasureMoments.record({ platform, workspace }, of.at);
  for (const team of of.kind === 'teams' ? of.teams : [])
    await erasureMoments.record({ platform, workspace: team }, time.now());
  if (of.kind !== 'person') return;
  const everywhere = of.everywhere === true;
  const subject = { platform, workspace: everywhere ? undefined : workspace, user: of.user };
  await erasureMoments.record(subject, time.now());
}

/** Whether the next page is one of the whole table. */
async function scans(
  { of }: EraseTask,
  from: string | undefined,
  erasure: NonNullable<PrivacyContext['erasure']>,
): Promise<boolean> {
  if (of.kind === 'thread') return false;
  return of.kind !== 'person' || erasure.scans({ user: of.user }, from);
}

type ErasureRun = EraseContext & { readonly erasure: NonNullable<PrivacyContext['erasure']> };

function pageOf({ thread, asker, of, secondPass }: EraseTask, context: ErasureRun, from: string | undefined) {
  const { erasure } = context;
  // Where the app was removed, there is nobody any more who could take anything down.
  const down: MessageRemoval = (where, messages) => deleteBotMessages(where, messages, context);
  const forget = async (ids: readonly JobId[]) =>
    void (await forgetVideos(await jobsOf(ids, context), context));
  if (of.kind === 'thread')
    return erasure.threadPage(thread, asker, from, { deleteMessages: down, eraseJobs: forget });
  const { platform, workspace } = thread;
  if (of.kind === 'older') return applyRetentionPage(thread, from, context);
  if (of.kind === 'workspace' || of.kind === 'teams') {
    const teams = of.kind === 'teams' ? of.teams : undefined;
    const scope = { platform, workspace, teams, sentUntil: secondPass?.sentUntil };
    return erasure.page(scope, from, { eraseJobs: forget });
  }
  const whose = { platform, workspace: of.everywhere ? undefined : workspace, user: of.user };
  return erasure.page(whose, from, { deleteMessages: down, eraseJobs: forget });
}

/** Their ticket may be dead by now: then they are not told. */
async function notifyDone(
  wanted: Interaction,
  what: EraseTask['of']['kind'],
  context: EraseContext,
): Promise<void> {
  const locale = await resolveInteractionLocale(wanted, context);
  const markdown = localize(
    locale,
    what === 'thread' ? 'memory.forget.thread.done' : 'memory.forget.me.done',
  );
  await context.messenger
    .respond(wanted, { tone: 'good', parts: [{ kind: 'text', markdown }] })
    .catch((error: unknown) => {
      context.log('erasure.response-failed', { error: errorName(error) });
    });
}

/** More than anybody is allowed to have at a time. */
const MAX_JOBS = 1_000;

const theirJobs = async (
  platform: PlatformName,
  workspace: WorkspaceId,
  user: UserId,
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> =>
  videos.enabled ? videos.jobs.listByPerson({ platform, workspace, user }, MAX_JOBS) : [];

async function jobsOf(
  ids: readonly JobId[],
  { videos }: Pick<PrivacyContext, 'videos'>,
): Promise<readonly Job[]> {
  const found = await Promise.all(ids.map(async (id) => (videos.enabled ? videos.jobs.find(id) : undefined)));
  return found.filter((job) => job !== undefined);
}

/** Has all of a workspace or a person forgotten. `wish` is the same for a repeated wish; `tell` is told when it is done. */
export async function sendErasure(
  platform: PlatformName,
  workspace: WorkspaceId,
  of: Exclude<EraseTask['of'], { kind: 'thread' }>,
  wish: string,
  queue: Queue,
  tell?: Interaction,
): Promise<void> {
  const root = messageId(wish);
  const thread = { platform, workspace, channel: channelId('none'), root };
  const asker = of.kind === 'person' ? of.user : userId('none');
  await enqueueTask({ ...taskIn(thread, root, asker, workspace), of, tell }, '0', queue);
}

/** After a change of for how long things are kept: it holds for what is there already. */
export const forgetOlder = ({ id, platform, workspace }: Interaction, queue: Queue): Promise<void> =>
  sendErasure(platform, workspace, { kind: 'older' }, `older-${id}`, queue);

/** Has a thread forgotten, in line with what is being answered there; `wanted` is told when it is done. */
export async function sendThreadErasure(thread: Thread, wanted: Interaction, queue: Queue): Promise<void> {
  const { by, id } = wanted;
  const task = taskIn(thread, thread.root, by.user, by.workspace);
  await enqueueTask({ ...task, of: { kind: 'thread' }, tell: wanted }, id, queue);
}

function taskIn(thread: Thread, message: MessageId, asker: UserId, askerWorkspace: WorkspaceId) {
  return { v: 1 as const, kind: 'erase' as const, thread, message, asker, askerWorkspace, round: 0 };
}
