import type { PrivacyContext } from './context.ts';
import { type EraseTask, type ExportTask, type Interaction, threadKey } from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { ScanLease } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import type { QueueDelivery, TaskResult } from '../context/index.ts';

export type ScanContext = Pick<
  PrivacyContext,
  'queue' | 'log' | 'userProfile' | 'messenger' | 'scanLease'
> & {
  readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'layers'>;
};

type ScanTask = EraseTask | ExportTask;

/** A task that waits looks so often whether it may begin. */
const RETRY_MS = 30_000;

/** All deliveries and parts of one wish hold the same lease. */
const holderOf = ({ kind, thread, message }: ScanTask): string => `${kind} ${threadKey(thread)} ${message}`;

/** Takes the right to read the next page of the whole table, or renews it. */
export const takeScanLease = async (
  task: ScanTask,
  { scanLease }: Pick<PrivacyContext, 'scanLease'>,
): Promise<boolean> => scanLease.take(holderOf(task));

/** Lets the next one read. Never rejects: the lease runs out by itself. */
export const releaseScanLease = async (
  task: ScanTask,
  { scanLease }: { readonly scanLease: Pick<ScanLease, 'release'> },
) => scanLease.release(holderOf(task)).catch(() => undefined);

/**
 * The table is being read for somebody else: the task comes again, from `from` on, and whoever wants it is told so once. It waits for
 * as long as it takes: on its last delivery it puts itself on the queue anew.
 */
export async function waitForScanLease(
  task: ScanTask,
  from: string | undefined,
  wanted: Interaction | undefined,
  context: ScanContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const isFirst = !delivery.isRedelivery && task.round === 0 && task.waits === undefined;
  context.log('scan.waiting', { kind: task.kind, platform: task.thread.platform, round: task.round });
  if (isFirst && wanted) await tellWaiting(wanted, context);
  if (!delivery.isLast && from === task.from) return { kind: 'later', afterMs: RETRY_MS };
  const waits = (task.waits ?? 0) + 1;
  const round = from === task.from ? task.round : task.round + 1;
  await enqueueTask({ ...task, from, round, waits }, `${round}-${waits}`, context.queue);
  return { kind: 'done' };
}

/** Their ticket may be dead by now: then they are not told. */
async function tellWaiting(wanted: Interaction, context: ScanContext): Promise<void> {
  const markdown = localize(await resolveInteractionLocale(wanted, context), 'memory.waiting');
  await context.messenger
    .respond(wanted, { tone: 'working', parts: [{ kind: 'text', markdown }] })
    .catch(() => context.log('scan.response-failed'));
}
