import { type EraseTask, type ExportTask, type Invocation, threadKey } from '../conversation/index.ts';
import type { ScanLease } from '../store/index.ts';
import { say } from '../texts/index.ts';
import { localeOfCall } from './locale.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { send } from './receive.ts';

export type ScanDeps = Pick<Deps, 'queue' | 'log' | 'people' | 'stage' | 'scanLease'> & {
  readonly choices: Pick<Deps['choices'], 'layers'>;
};

type ScanTask = EraseTask | ExportTask;

/** A task that waits looks so often whether it may begin. */
const RETRY_MS = 30_000;

/** All deliveries and parts of one wish hold the same lease. */
const holderOf = ({ kind, thread, message }: ScanTask): string => `${kind} ${threadKey(thread)} ${message}`;

/** Takes the right to read the next page of the whole table, or renews it. Without a lease to take, all may. */
export const takeScan = async (task: ScanTask, { scanLease }: Pick<Deps, 'scanLease'>): Promise<boolean> =>
  (await scanLease?.take(holderOf(task))) ?? true;

/** Lets the next one read. Never rejects: the lease runs out by itself. */
export const releaseScan = async (
  task: ScanTask,
  { scanLease }: { readonly scanLease?: Pick<ScanLease, 'release'> | undefined },
) => scanLease?.release(holderOf(task)).catch(() => undefined);

/**
 * The table is being read for somebody else: the task comes again, from `from` on, and whoever wants it is told so once. It waits for
 * as long as it takes: on its last delivery it puts itself on the queue anew.
 */
export async function waitToScan(
  task: ScanTask,
  from: string | undefined,
  wanted: Invocation | undefined,
  deps: ScanDeps,
  delivery: Delivery,
): Promise<Verdict> {
  const isFirst = !delivery.again && task.round === 0 && task.waits === undefined;
  deps.log('scan.waits', { kind: task.kind, platform: task.thread.platform, round: task.round });
  if (isFirst && wanted) await tellWaiting(wanted, deps);
  if (!delivery.last && from === task.from) return { kind: 'later', afterMs: RETRY_MS };
  const waits = (task.waits ?? 0) + 1;
  const round = from === task.from ? task.round : task.round + 1;
  await send({ ...task, from, round, waits }, `${round}-${waits}`, deps.queue);
  return { kind: 'done' };
}

/** Their ticket may be dead by now: then they are not told. */
async function tellWaiting(wanted: Invocation, deps: ScanDeps): Promise<void> {
  const markdown = say(await localeOfCall(wanted, deps), 'memory.waiting');
  await deps.stage
    .respond(wanted, { tone: 'working', parts: [{ kind: 'text', markdown }] })
    .catch(() => deps.log('scan.unheard'));
}
