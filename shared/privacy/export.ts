import type { PrivacyContext } from './context.ts';
import {
  type ExportTask,
  hasTypedCommands,
  type Interaction,
  type Thread,
  messageId,
  channelId,
  textCard,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import { getOperation, getOwnPrompt, type Job } from '../video/jobs/index.ts';
import { resolveInteractionLocale } from '../settings/index.ts';
import { FileUnavailableError } from '../platforms/ports/index.ts';
import type { Queue } from '../aws/index.ts';
import type { ExportEntry, ExportedPage, Jobs } from '../storage/index.ts';
import {
  localize,
  formatClockTime,
  roundUpToMinute,
  formatCommand,
  getCommandFormat,
  forgetLabel,
} from '../i18n/index.ts';
import { replyPrivately } from '../ports/index.ts';
import { iterableOf } from '../utils/index.ts';
import { PAGE_INTERVAL_MS } from './scan-throttle.ts';
import { releaseScanLease, takeScanLease, waitForScanLease } from './scan-lease.ts';

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
  readonly videos: { readonly jobs: Pick<Jobs, 'listByPerson' | 'listByThread'> };
};

/** Kept free at the end of a delivery, to upload the file. */
const DELIVERY_RESERVE_MS = 30_000;
/** A file ends after the entry that exceeds this size: it stays below the upload limit of both platforms (10 MB). */
const MAX_FILE_BYTES = 4_000_000;
const MAX_JOBS = 1_000;

/**
 * Exports the stored data of a person or thread, and sends it to the requester as private files. What does not fit into
 * one file, or into the time of a delivery, becomes another one. Another task sends what has not been read yet.
 */
export async function runExport(
  task: ExportTask,
  context: ExportContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const entries: ExportEntry[] = task.cursor === undefined ? await listVideoEntries(task, context) : [];
  let size = countBytes(entries);
  let { cursor } = task;
  for (;;) {
    const scansTable = task.scope === 'person' && (await context.exporter.scans(cursor));
    if (scansTable && !(await takeScanLease(task, context))) {
      if (cursor === task.cursor) return waitForScanLease(task, cursor, task.interaction, context, delivery);
      // Sends what was collected; the rest becomes another file.
      const last = await sendExportFiles(task, entries, false, context, delivery);
      return last ? waitForScanLease(last, cursor, task.interaction, context, delivery) : { kind: 'done' };
    }
    const page = await readPage(task, context.exporter, cursor);
    entries.push(...page.entries);
    size += countBytes(page.entries);
    cursor = page.next;
    const isFull = size >= MAX_FILE_BYTES || context.time.now() >= delivery.deadline - DELIVERY_RESERVE_MS;
    if (cursor === undefined || isFull) break;
    await context.time.sleep(page.pauseMs ?? PAGE_INTERVAL_MS);
  }
  const last = await sendExportFiles(task, entries, cursor === undefined, context, delivery);
  if (!last) return { kind: 'done' };
  if (cursor === undefined) {
    await releaseScanLease(task, context);
    return { kind: 'done' };
  }
  const round = last.round + 1;
  await enqueueTask({ ...task, cursor, round }, String(round), context.queue);
  return { kind: 'done' };
}

const countBytes = (entries: readonly ExportEntry[]): number =>
  Buffer.byteLength(JSON.stringify(entries, undefined, 2));

function readPage(
  { thread, interaction, scope }: ExportTask,
  exporter: NonNullable<PrivacyContext['exporter']>,
  cursor: string | undefined,
): Promise<ExportedPage> {
  const { platform, workspace } = thread;
  const { user } = interaction.by;
  return scope === 'thread'
    ? exporter.threadPage(thread, user, cursor)
    : exporter.page({ platform, workspace, user }, cursor);
}

/** Lists the videos of a person or thread: they are stored apart from threads. */
async function listVideoEntries(
  { interaction, scope, thread: exportedThread }: ExportTask,
  { videos }: ExportContext,
): Promise<ExportEntry[]> {
  const { platform, by } = interaction;
  const { user, workspace } = by;
  const listByPerson = () => videos.jobs.listByPerson({ platform, workspace, user }, MAX_JOBS);
  const jobs = await (scope === 'person' ? listByPerson() : videos.jobs.listByThread(exportedThread));
  const isOwn = ({ by: owner }: Job): boolean => owner.user === user && owner.workspace === workspace;
  const visible = jobs.filter((job) => isOwn(job) || !isPrivate(job));
  return visible.map((job) => ({
    in: 'videos',
    is: job.id,
    operation: getOperation(job),
    state: job.state,
    at: new Date(job.createdAt).toISOString(),
    prompt: scope === 'person' ? getOwnPrompt(job) : job.prompt,
    model: job.model,
    price: job.price,
    picture: job.picture,
    thread: job.thread,
    by: job.by.user,
  }));
}

/** Whether at most the requester of a job has seen it: it has no card in the thread. It may have failed before it got one. */
const isPrivate = ({ card }: Job): boolean => card === undefined;

/** Divides entries into files: one page may have more than a file. */
function divideIntoFiles(entries: readonly ExportEntry[]): readonly (readonly ExportEntry[])[] {
  const files: ExportEntry[][] = [[]];
  let size = 0;
  for (const entry of entries) {
    if (size >= MAX_FILE_BYTES) {
      files.push([]);
      size = 0;
    }
    files.at(-1)?.push(entry);
    size += countBytes([entry]);
  }
  return files;
}

/**
 * Sends the entries in one or more files, each of which counts as a round of the task. Returns the task of the last one; undefined if one
 * failed finally, after telling the person.
 */
async function sendExportFiles(
  task: ExportTask,
  entries: readonly ExportEntry[],
  isComplete: boolean,
  context: ExportContext,
  delivery: QueueDelivery,
): Promise<ExportTask | undefined> {
  const files = divideIntoFiles(entries);
  let last = task;
  for (const [i, entriesOfFile] of files.entries()) {
    last = { ...task, round: task.round + i };
    const isLast = isComplete && i === files.length - 1;
    if (!(await sendExportFile(last, entriesOfFile, isLast, context, delivery))) return undefined;
    context.log('export.file-sent', { scope: task.scope, round: last.round, entries: entriesOfFile.length });
  }
  return last;
}

/** Sends a file. Resolves with false if it failed finally, after telling the person. */
async function sendExportFile(
  { interaction, scope, thread, round }: ExportTask,
  entries: readonly ExportEntry[],
  isComplete: boolean,
  context: ExportContext,
  delivery: QueueDelivery,
): Promise<boolean> {
  const { by, platform } = interaction;
  const locale = await resolveInteractionLocale(interaction, context);
  const subject = scope === 'thread' ? { thread } : { platform, workspace: thread.workspace, user: by.user };
  const at = new Date(context.time.now()).toISOString();
  const part = round + 1;
  const content = Buffer.from(
    `${JSON.stringify({ about: subject, at, part, complete: isComplete, entries }, undefined, 2)}\n`,
  );
  const name = `parley-${scope}${isComplete && part === 1 ? '' : `-${part}`}.json`;
  const note = localize(locale, isComplete ? 'memory.export.done' : 'memory.export.part', {
    part,
    count: entries.length,
    command: formatForgetCommand(interaction, scope, context),
  });
  const file = { name, mimetype: 'application/json', bytes: content.byteLength, words: note };
  try {
    await context.messenger.sendFilePrivately(
      interaction,
      { ...file, content: iterableOf(content) },
      `export-${interaction.id}-${part}`,
    );
    return true;
  } catch (error) {
    const isRefused = error instanceof FileUnavailableError;
    if (!isRefused && !delivery.isLast) throw error;
    const reason = isRefused ? ` ${localize(locale, ...error.why)}` : '';
    const card = textCard(`${localize(locale, 'memory.export.refused')}${reason}`, 'bad');
    await replyPrivately(interaction, card, locale, context, 'export.response-failed');
    return false;
  }
}

/** The command that erases what was exported. Discord asks for its option, in Slack people type it. */
const formatForgetCommand = (
  interaction: Interaction,
  scope: ExportTask['scope'],
  { settings }: Pick<ExportContext, 'settings'>,
): string => {
  const target = hasTypedCommands(interaction) ? [scope === 'thread' ? 'thread' : 'me'] : [];
  return formatCommand(forgetLabel, getCommandFormat(interaction), settings, ...target);
};

/** Takes a permit for a person's export. Undefined if they get it, otherwise the time of the next one, formatted. */
export async function takeExportPermit(
  { platform, workspace, by, id }: Interaction,
  { exportLimit, settings }: Pick<PrivacyContext, 'exportLimit' | 'settings'>,
): Promise<string | undefined> {
  const atMs = await exportLimit.take({ platform, workspace, user: by.user }, id);
  return atMs === undefined ? undefined : formatClockTime(roundUpToMinute(atMs), settings.zone);
}

/** Queues an export of the requester's data, or of this thread. */
export async function enqueueExport(
  scope: ExportTask['scope'],
  interaction: Interaction,
  thread: Thread | undefined,
  queue: Queue,
): Promise<void> {
  const { id, platform, workspace, by } = interaction;
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
  await enqueueTask({ ...task, scope, interaction, round: 0 }, '0', queue);
}
