import type { PrivacyContext } from './context.ts';
import { isTerminal } from '../video/jobs/index.ts';
import { resolve } from '../settings/rules/index.ts';
import type { Thread } from '../domain/index.ts';
import type { RetentionPeriod } from '../storage/index.ts';

export type RetentionContext = Pick<PrivacyContext, 'shortening' | 'videos'> & {
  readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'read'>;
};

const DAY_MS = 86_400_000;

/**
 * Applies the current retention period to one page of a workspace's items. `next` is the pagination cursor, absent after
 * the last page.
 */
export async function applyRetentionPage(
  { platform, workspace }: Pick<Thread, 'platform' | 'workspace'>,
  from: string | undefined,
  { shortening, settingsStore, videos }: RetentionContext,
): Promise<{
  readonly erased: number;
  readonly next?: string | undefined;
  readonly pauseMs?: number | undefined;
}> {
  const cache = new Map<string, Promise<number | undefined>>();
  const retentionPeriod: RetentionPeriod = (channel) => {
    const id = channel.channel;
    const days = cache.get(id) ?? loadRetentionDays(channel, settingsStore);
    cache.set(id, days);
    return days;
  };
  const page = await shortening.page({ platform, workspace }, from, retentionPeriod);
  for (const id of page.jobs) {
    const job = await videos.jobs.find(id);
    const days = job && (await retentionPeriod(job.thread));
    if (!job || days === undefined || !isTerminal(job.state)) continue;
    const due = job.createdAt + days * DAY_MS;
    // S3 deletes its files after `videos.days` anyway.
    if (days < videos.days && due < (job.due ?? Infinity)) await videos.jobs.save(job, { due });
  }
  return { erased: 0, next: page.next, pauseMs: page.pauseMs };
}

/** Reads the current setting: the worker's cache may be half a minute old. */
async function loadRetentionDays(
  channel: Parameters<RetentionPeriod>[0],
  settingsStore: RetentionContext['settingsStore'],
): Promise<number | undefined> {
  const [workspace, own] = await Promise.all([
    settingsStore.read(channel, 'workspace'),
    settingsStore.read(channel, 'channel'),
  ]);
  return resolve('retentionDays', { workspace: workspace.layer, channel: own.layer }).value;
}
