import {
  channelId,
  type EraseTask,
  messageId,
  type PlatformName,
  userId,
  type WorkspaceId,
} from '../conversation/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { send } from './receive.ts';

/** What a delivery keeps back of its time. */
const CLOSING_MS = 20_000;

/**
 * Forgets all of a workspace that removed the app, or all of a person. Goes through the table a page at a time; when the
 * time of this delivery is over, the rest is a task of its own, which begins where this one stopped.
 */
export async function erase(task: EraseTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const { erasure, installs } = deps;
  if (!erasure) return { kind: 'done' };
  const { platform, workspace } = task.thread;
  const { of } = task;
  const isWhole = of.kind === 'workspace';
  // First: from now on nothing is answered there.
  if (isWhole && platform === 'slack') await installs?.remove(workspace, of.at);
  const whose = { platform, workspace, user: isWhole ? undefined : of.user };
  let from = task.from;
  let erased = 0;
  for (;;) {
    const page = await erasure.page(whose, from);
    erased += page.erased;
    await deps.forgetJobs?.(page.jobs);
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
