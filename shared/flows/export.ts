import {
  type ExportTask,
  type Invocation,
  type Thread,
  messageId,
  channelId,
} from '../conversation/index.ts';
import type { Job } from '../jobs/index.ts';
import { FileRefused } from '../platforms/platform.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Entry, ExportedPage, Jobs } from '../store/index.ts';
import { say } from '../texts/index.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { once } from './once.ts';
import { clockTime, fullMinute } from './moments.ts';
import { BETWEEN_PAGES_MS } from './pages.ts';
import { releaseScan, takeScan, waitToScan } from './scan-turn.ts';
import { send } from './receive.ts';
import * as names from './commands/names.ts';
import { words } from './commands/run.ts';
import { typed, typingOf } from './commands/typed.ts';
import { localeOfCall } from './locale.ts';

export type ExportDeps = Pick<
  Deps,
  'exports' | 'queue' | 'time' | 'log' | 'people' | 'stage' | 'settings' | 'choices' | 'scanLease'
> & {
  readonly videos?: { readonly jobs: Pick<Jobs, 'of' | 'inThread'> } | undefined;
};

/** What a delivery keeps back of its time. */
const CLOSING_MS = 30_000;
/** A file is closed once it holds as much: with the page that fills it both platforms take it anywhere (10 MB). */
const MOST_BYTES = 4_000_000;
const MOST_JOBS = 1_000;

/**
 * Gathers what is kept of a person or a thread, and hands it to whoever wanted it, as a file that they alone see. What does
 * not fit into a file, or into the time of a delivery, is a further file, by a task of its own.
 */
export async function exporting(task: ExportTask, deps: ExportDeps, delivery: Delivery): Promise<Verdict> {
  if (!deps.exports) return { kind: 'done' };
  const entries: Entry[] = task.from === undefined ? await videosOf(task, deps) : [];
  let size = bytesOf(entries);
  let { from } = task;
  for (;;) {
    const scans = task.of === 'person' && (await deps.exports.scans(from));
    if (scans && !(await takeScan(task, deps))) {
      // What was gathered is handed over: the rest is another part.
      if (from !== task.from && !(await hand(task, entries, false, deps, delivery))) return { kind: 'done' };
      return waitToScan(task, from, task.wanted, deps, delivery);
    }
    const page = await pageOf(task, deps.exports, from);
    entries.push(...page.entries);
    size += bytesOf(page.entries);
    from = page.next;
    const full = size >= MOST_BYTES || deps.time.now() >= delivery.deadline - CLOSING_MS;
    if (from === undefined || full) break;
    await deps.time.sleep(page.pauseMs ?? BETWEEN_PAGES_MS);
  }
  if (!(await hand(task, entries, from === undefined, deps, delivery))) return { kind: 'done' };
  deps.log('export.part', { what: task.of, round: task.round, entries: entries.length });
  if (from === undefined) {
    await releaseScan(task, deps);
    return { kind: 'done' };
  }
  const round = task.round + 1;
  await send({ ...task, from, round }, String(round), deps.queue);
  return { kind: 'done' };
}

const bytesOf = (entries: readonly Entry[]): number =>
  Buffer.byteLength(JSON.stringify(entries, undefined, 2));

function pageOf(
  { thread, wanted, of }: ExportTask,
  exports: NonNullable<Deps['exports']>,
  from: string | undefined,
): Promise<ExportedPage> {
  const { platform, workspace } = thread;
  const { user } = wanted.by;
  return of === 'thread'
    ? exports.threadPage(thread, user, from)
    : exports.page({ platform, workspace, user }, from);
}

/** Videos lie apart from all threads: a person's, or those of this thread. */
async function videosOf({ wanted, of, thread: where }: ExportTask, { videos }: ExportDeps): Promise<Entry[]> {
  const { platform, by } = wanted;
  const { user, workspace } = by;
  const theirs = () => videos?.jobs.of({ platform, workspace, user }, MOST_JOBS);
  const jobs = (await (of === 'person' ? theirs() : videos?.jobs.inThread(where))) ?? [];
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
async function hand(
  { wanted, of, thread, round }: ExportTask,
  entries: readonly Entry[],
  whole: boolean,
  deps: ExportDeps,
  delivery: Delivery,
): Promise<boolean> {
  const { by, platform } = wanted;
  const locale = await localeOfCall(wanted, deps);
  const about = of === 'thread' ? { thread } : { platform, workspace: thread.workspace, user: by.user };
  const at = new Date(deps.time.now()).toISOString();
  const part = round + 1;
  const content = Buffer.from(
    `${JSON.stringify({ about, at, part, complete: whole, entries }, undefined, 2)}\n`,
  );
  const name = `parley-${of}${whole && part === 1 ? '' : `-${part}`}.json`;
  const told = say(locale, whole ? 'memory.export.done' : 'memory.export.part', {
    part,
    count: entries.length,
    command: typed(names.forget, typingOf(wanted), deps.settings),
  });
  const file = { name, mimetype: 'application/json', bytes: content.byteLength, words: told };
  try {
    await deps.stage.hand(wanted, { ...file, content: once(content) }, `export-${wanted.id}-${part}`);
    return true;
  } catch (error) {
    const refused = error instanceof FileRefused;
    if (!refused && !delivery.last) throw error;
    const why = refused ? ` ${say(locale, ...error.why)}` : '';
    const no = words(`${say(locale, 'memory.export.refused')}${why}`, 'bad');
    await deps.stage.respond(wanted, no).catch(() => deps.log('export.unheard'));
    return false;
  }
}

/** When whoever calls may have an export of what is theirs again, as they are told it; undefined if they may have it now. */
export async function nextExportTime(
  { platform, workspace, by, id }: Invocation,
  { exportLimit, settings }: Pick<Deps, 'exportLimit' | 'settings'>,
): Promise<string | undefined> {
  const atMs = await exportLimit?.take({ platform, workspace, user: by.user }, id);
  return atMs === undefined ? undefined : clockTime(fullMinute(atMs), settings.zone);
}

/** Has what is kept of whoever calls, or of this thread, handed to them. */
export async function sendExport(
  of: ExportTask['of'],
  wanted: Invocation,
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
  await send({ ...task, of, wanted, round: 0 }, '0', queue);
}
