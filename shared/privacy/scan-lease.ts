import type { PrivacyContext } from './context.ts';
import {
  type EraseTask,
  type ExportTask,
  type Interaction,
  textCard,
  threadKey,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { ScanLease } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { replyPrivately } from '../ports/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';

export type ScanContext = Pick<
  PrivacyContext,
  'queue' | 'time' | 'log' | 'userProfile' | 'messenger' | 'scanLease'
> & {
  readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'layers'>;
};

type ScanTask = EraseTask | ExportTask;

/** The interval at which a waiting task checks the lease. */
const RETRY_DELAY_MS = 30_000;

/** All deliveries and tasks of one request share a lease. */
const getHolder = ({ kind, thread, message }: ScanTask): string => `${kind} ${threadKey(thread)} ${message}`;

/** Takes or renews the lease for scanning the table. */
export const takeScanLease = async (
  task: ScanTask,
  { scanLease }: Pick<PrivacyContext, 'scanLease'>,
): Promise<boolean> => scanLease.take(getHolder(task));

/** Releases the lease. Never rejects: it expires anyway. */
export const releaseScanLease = async (
  task: ScanTask,
  { scanLease }: { readonly scanLease: Pick<ScanLease, 'release'> },
) => scanLease.release(getHolder(task)).catch(() => undefined);

/**
 * Retries a task later, from `cursor`, because another task scans the table. Notifies the requester once. There is
 * no deadline: on its last delivery the task queues itself again.
 */
export async function waitForScanLease(
  task: ScanTask,
  cursor: string | undefined,
  requester: Interaction | undefined,
  context: ScanContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const isFirst = !delivery.isRedelivery && task.round === 0 && task.waitCount === undefined;
  context.log('scan.waiting', { kind: task.kind, platform: task.thread.platform, round: task.round });
  if (isFirst && requester) await notifyWaiting(requester, context);
  if (!delivery.isLast && cursor === task.cursor) return { kind: 'later', afterMs: RETRY_DELAY_MS };
  const waitCount = (task.waitCount ?? 0) + 1;
  const round = cursor === task.cursor ? task.round : task.round + 1;
  await enqueueTask({ ...task, cursor, round, waitCount }, `${round}-${waitCount}`, context.queue);
  return { kind: 'done' };
}

/** Notifies the requester. Their interaction token may have expired: then they are not notified. */
async function notifyWaiting(requester: Interaction, context: ScanContext): Promise<void> {
  const locale = await resolveInteractionLocale(requester, context);
  const card = textCard(localize(locale, 'memory.waiting'), 'working');
  await replyPrivately(requester, card, locale, context, 'scan.response-failed');
}
