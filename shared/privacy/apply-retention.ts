import type { PrivacyContext } from './context.ts';
import { isTerminal } from '../video/jobs/index.ts';
import { resolve } from '../settings/rules/index.ts';
import type { Thread } from '../domain/index.ts';
import type { RetentionPeriod } from '../storage/index.ts';

export type RetentionContext = Pick<PrivacyContext, 'shortening' | 'videos'> & {
  readonly settingsStore: Pick<PrivacyContext['settingsStore'], 'read'>;
};

const DAY_MS = 86_400_000;

/** A page of what a workspace keeps: it goes as early as what is said there now would. Resolves with where to go on. */
export async function applyRetentionPage(
  { platform, workspace }: Pick<Thread, 'platform' | 'workspace'>,
  from: string | undefined,
  { shortening, settingsStore: choices, videos }: RetentionContext,
): Promise<{
  readonly erased: number;
  readonly next?: string | undefined;
  readonly pauseMs?: number | undefined;
}> {
  const known = new Map<string, Promise<number | undefined>>();
  const keptFor: RetentionPeriod = (channel) => {
    const id = channel.channel;
    const set = known.get(id) ?? daysIn(channel, choices);
    known.set(id, set);
    return set;
  };
  const page = await shortening.page({ platform, workspace }, from, keptFor);
  for (const id of page.jobs) {
    if (!videos.enabled) break;
    const job = await videos.jobs.find(id);
    const days = job && (await keptFor(job.thread));
    if (!job || days === undefined || !isTerminal(job.state)) continue;
    const due = job.createdAt + days * DAY_MS;
    // Its files go by themselves after `videos.days`.
    if (days < videos.days && due < (job.due ?? Infinity)) await videos.jobs.save(job, { due });
  }
  return { erased: 0, next: page.next, pauseMs: page.pauseMs };
}

/** As it is set just now: what a worker keeps of settings is up to half a minute old. */
async function daysIn(
  channel: Parameters<RetentionPeriod>[0],
  choices: RetentionContext['settingsStore'],
): Promise<number | undefined> {
  const [ofAll, own] = await Promise.all([
    choices.read(channel, 'workspace'),
    choices.read(channel, 'channel'),
  ]);
  return resolve('retentionDays', { workspace: ofAll.layer, channel: own.layer }).value;
}
