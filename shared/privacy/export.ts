import type { PrivacyContext } from './context.ts';
import {
  type ExportTask,
  type Interaction,
  type Thread,
  messageId,
  channelId,
  textCard,
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { Job } from '../video/jobs/index.ts';
import type { QueueDelivery, TaskResult } from '../context/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import { FileUnavailableError } from '../platforms/ports/platform.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { ExportEntry, ExportedPage, Jobs } from '../storage/index.ts';
import { localize } from '../i18n/index.ts';
import { iterableOf } from '../utils/iterable-of.ts';
import { formatClockTime, ceilToMinute } from '../i18n/format-time.ts';
import { PAGE_INTERVAL_MS } from './scan-throttle.ts';
import { releaseScanLease, takeScanLease, waitForScanLease } from './scan-turn.ts';
import * as names from '../i18n/labels/option-labels.ts';
import { formatCommand, getCommandFormat } from '../i18n/labels/format-usage.ts';

export type ExportContext = Pick<
  PrivacyContext,
  | 'exporter'
  | 'queue'
  | 'time'
  | 'log'
  | 'userProfile'
  | 'messenger'
  | 'settings'
  | 'settingsStore'
  | 'scanLease'
> & {
  readonly videos:
    | { readonly enabled: false }
    | { readonly enabled: true; readonly jobs: Pick<Jobs, 'listByPerson' | 'listByThread'> };
};

/** What a delivery keeps back of its time. */
const CLOSING_MS = 30_000;
/** A file is closed once it holds as much: with the page that fills it both platforms take it anywhere (10 MB). */
const MAX_BYTES = 4_000_000;
const MAX_JOBS = 1_000;

/**
 * Gathers what is kept of a person or a thread, and hands it to whoever wanted it, as a file that they alone see. What does
 * not fit into a file, or into the time of a delivery, is a further file, by a task of its own.
 */
export async function runExport(
  task: ExportTask,
  context: ExportContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const entries: ExportEntry[] = task.from === undefined ? await videosOf(task, context) : [];
  let size = bytesOf(entries);
  let { from } = task;
  for (;;) {
    const scans = task.of === 'person' && (await context.exporter.scans(from));
    if (scans && !(await takeScanLease(task, context))) {
      // What was gathered is handed over: the rest is another part.
      if (from !== task.from && !(await sendExportFile(task, entries, false, context, delivery)))
        return { kind: 'done' };
      return waitForScanLease(task, from, task.wanted, context, delivery);
    }
    const page = await pageOf(task, context.exporter, from);
    entries.push(...page.entries);
    size += bytesOf(page.entries);
    from = page.next;
    const full = size >= MAX_BYTES || context.time.now() >= delivery.deadline - CLOSING_MS;
    if (from === undefined || full) break;
    await context.time.sleep(page.pauseMs ?? PAGE_INTERVAL_MS);
  }
  if (!(await sendExportFile(task, entries, from === undefined, context, delivery))) return { kind: 'done' };
  context.log('export.file-sent', { scope: task.of, round: task.round, entries: entries.length });
  if (from === undefined) {
    await releaseScanLease(task, context);
    return { kind: 'done' };
  }
  const round = task.round + 1;
  await enqueueTask({ ...task, from, round }, String(round), context.queue);
  return { kind: 'done' };
}

const bytesOf = (entries: readonly ExportEntry[]): number =>
  Buffer.byteLength(JSON.stringify(entries, undefined, 2));

function pageOf(
  { thread, wanted, of }: ExportTask,
  exports: NonNullable<PrivacyContext['exporter']>,
  from: string | undefined,
): Promise<ExportedPage> {
  const { platform, workspace } = thread;
  const { user } = wanted.by;
  return of === 'thread'
    ? exports.threadPage(thread, user, from)
    : exports.page({ platform, workspace, user }, from);
}

/** Videos lie apart from all threads: a person's, or those of this thread. */
async function videosOf(
  { wanted, of, thread: where }: ExportTask,
  { videos }: ExportContext,
): Promise<ExportEntry[]> {
  const { platform, by } = wanted;
  const { user, workspace } = by;
  if (!videos.enabled) return [];
  const ofPerson = () => videos.jobs.listByPerson({ platform, workspace, user }, MAX_JOBS);
  const jobs = await (of === 'person' ? ofPerson() : videos.jobs.listByThread(where));
  return jobs.map(({ id, state, createdAt, prompt, model, price, picture, thread, by: asker }: Job) => ({
    in: 'videos',
    is: id,
    state,
    at: new Date(createdAt).toISOString(),
    prompt,
    model,
    price,
    picture,
    thread,
    by: asker.user,
  }));
}

/** Whether the file was taken. The last time that it is tried, the person is told that it was not. */
async function sendExportFile(
  { wanted, of, thread, round }: ExportTask,
  entries: readonly ExportEntry[],
  whole: boolean,
  context: ExportContext,
  delivery: QueueDelivery,
): Promise<boolean> {
  const { by, platform } = wanted;
  const locale = await resolveInteractionLocale(wanted, context);
  const about = of === 'thread' ? { thread } : { platform, workspace: thread.workspace, user: by.user };
  const at = new Date(context.time.now()).toISOString();
  const part = round + 1;
  const content = Buffer.from(
    `${JSON.stringify({ about, at, part, complete: whole, entries }, undefined, 2)}\n`,
  );
  const name = `parley-${of}${whole && part === 1 ? '' : `-${part}`}.json`;
  const told = localize(locale, whole ? 'memory.export.done' : 'memory.export.part', {
    part,
    count: entries.length,
    command: formatCommand(names.forget, getCommandFormat(wanted), context.settings),
  });
  const file = { name, mimetype: 'application/json', bytes: content.byteLength, words: told };
  try {
    await context.messenger.sendFilePrivately(
      wanted,
      { ...file, content: iterableOf(content) },
      `export-${wanted.id}-${part}`,
    );
    return true;
  } catch (error) {
    const refused = error instanceof FileUnavailableError;
    if (!refused && !delivery.isLast) throw error;
    const why = refused ? ` ${localize(locale, ...error.why)}` : '';
    const no = textCard(`${localize(locale, 'memory.export.refused')}${why}`, 'bad');
    await context.messenger.respond(wanted, no).catch(() => context.log('export.response-failed'));
    return false;
  }
}

/** When whoever calls may have an export of what is theirs again, as they are told it; undefined if they may have it now. */
export async function nextExportTime(
  { platform, workspace, by, id }: Interaction,
  { exportLimit, settings }: Pick<PrivacyContext, 'exportLimit' | 'settings'>,
): Promise<string | undefined> {
  const atMs = await exportLimit.take({ platform, workspace, user: by.user }, id);
  return atMs === undefined ? undefined : formatClockTime(ceilToMinute(atMs), settings.zone);
}

/** Has what is kept of whoever calls, or of this thread, handed to them. */
export async function sendExport(
  of: ExportTask['of'],
  wanted: Interaction,
  thread: Thread | undefined,
  queue: Queue,
): Promise<void> {
  const { id, platform, workspace, by } = wanted;
  const message = messageId(id);
  const place = thread ?? { platform, workspace, channel: channelId('none'), root: message };
  const task = {
    v: 1,
    kind: 'export',
    thread: place,
    message,
    asker: by.user,
    askerWorkspace: by.workspace,
  } as const;
  await enqueueTask({ ...task, of, wanted, round: 0 }, '0', queue);
}
