import {
  channelId,
  type EraseTask,
  messageId,
  type PlatformName,
  type UserId,
  userId,
  type WorkspaceId,
} from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Job, JobId } from '../jobs/index.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { send } from './receive.ts';
import { forgetVideos } from './video-actions.ts';

export type EraseDeps = Pick<Deps, 'erasure' | 'installs' | 'videos' | 'queue' | 'time' | 'log'>;

/** What a delivery keeps back of its time. */
const CLOSING_MS = 20_000;

/**
 * Forgets all of a workspace that removed the app, or all of a person. Goes through the table a page at a time; when the
 * time of this delivery is over, the rest is a task of its own, which begins where this one stopped.
 */
export async function erase(task: EraseTask, deps: EraseDeps, delivery: Delivery): Promise<Verdict> {
  const { erasure, installs } = deps;
  if (!erasure) return { kind: 'done' };
  const { platform, workspace } = task.thread;
  const { of } = task;
  const isWhole = of.kind === 'workspace';
  // First: from now on nothing is answered there.
  if (isWhole && platform === 'slack') await installs?.remove(workspace, of.at);
  if (!isWhole) await forgetVideos(await theirJobs(platform, workspace, of.user, deps), deps);
  const whose =
    of.kind === 'workspace'
      ? { platform, workspace }
      : { platform, workspace: of.everywhere ? undefined : workspace, user: of.user };
  let from = task.from;
  let erased = 0;
  for (;;) {
    const page = await erasure.page(whose, from);
    erased += page.erased;
    await forgetVideos(await jobsOf(page.jobs, deps), deps);
    if (page.next === undefined) break;
    from = page.next;
    if (deps.time.now() < delivery.deadline - CLOSING_MS) continue;
    const round = task.round + 1;
    await send({ ...task, from, round }, String(round), deps.queue);
    deps.log('erase.goes-on', { platform, workspace, what: of.kind, erased });
    return { kind: 'done' };
  }
  deps.log('erase.done', { platform, workspace, what: of.kind, erased });
  return { kind: 'done' };
}

/** More than anybody is allowed to have at a time. */
const MOST_JOBS = 1_000;

const theirJobs = async (
  platform: PlatformName,
  workspace: WorkspaceId,
  user: UserId,
  { videos }: Pick<Deps, 'videos'>,
): Promise<readonly Job[]> => videos?.jobs.of({ platform, workspace, user }, MOST_JOBS) ?? [];

async function jobsOf(ids: readonly JobId[], { videos }: Pick<Deps, 'videos'>): Promise<readonly Job[]> {
  const found = await Promise.all(ids.map((id) => videos?.jobs.find(id)));
  return found.filter((job) => job !== undefined);
}

/** Has all of a workspace or a person forgotten. `wish` is the same for a repeated wish. */
export async function sendErasure(
  platform: PlatformName,
  workspace: WorkspaceId,
  of: EraseTask['of'],
  wish: string,
  queue: Queue,
): Promise<void> {
  const message = messageId(wish);
  const thread = { platform, workspace, channel: channelId('none'), root: message };
  const asker = of.kind === 'person' ? of.user : userId('none');
  const task: EraseTask = {
    v: 1,
    kind: 'erase',
    thread,
    message,
    asker,
    askerWorkspace: workspace,
    of,
    round: 0,
  };
  await send(task, '0', queue);
}
