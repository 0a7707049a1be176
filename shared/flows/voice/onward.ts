import { type HearTask, recordingName } from '../../conversation/index.ts';
import { FileRefused } from '../../platforms/platform.ts';
import { sendToHear } from '../overhear.ts';
import type { Delivery, Verdict } from '../ports.ts';
import { explain, type Listener } from '../sentences.ts';
import type { VoiceDeps } from './ports.ts';
import { toOf } from './recording.ts';

type OnwardDeps = Pick<VoiceDeps, 'recordings' | 'recordingsQueue'>;

/** When to try again what broke off: a connection, a host that did not answer. */
const AGAIN_MS = 15_000;

/** How far a task's recordings are: how many pieces are heard and kept, or spoken into the thread. */
async function heardOf(task: HearTask, { recordings }: OnwardDeps): Promise<number> {
  const { thread, message, wish } = task;
  if (wish.kind === 'translate' && wish.speak) return wish.from ?? 0;
  let heard = 0;
  for (const one of task.recordings) {
    const pieces = await recordings.pieces({ thread, message, file: recordingName(one) }, toOf(task));
    heard += pieces.length;
  }
  return heard;
}

/**
 * Whether waiting may help. A task may wait for 75 minutes (`RECORDINGS`); one that got on since it was sent is sent once more, so that
 * a long recording, or a key that others use up, costs time and not the words.
 */
export const mayWait = async (task: HearTask, { last }: Delivery, deps: OnwardDeps): Promise<boolean> =>
  !last || (await heardOf(task, deps)) > (task.heard ?? 0);

/** Has the rest of a task done later. */
export async function comeAgain(
  task: HearTask,
  afterMs: number,
  { last }: Delivery,
  deps: OnwardDeps,
): Promise<Verdict> {
  const heard = last ? await heardOf(task, deps) : 0;
  if (heard <= (task.heard ?? 0)) return { kind: 'later', afterMs };
  const { wish } = task;
  const which = wish.kind === 'translate' ? `translate#${wish.invocation.id}` : wish.kind;
  await sendToHear({ ...task, heard }, `${which}#${heard}`, deps.recordingsQueue);
  return { kind: 'done' };
}

/** After how long a failure may be over, in ms; undefined where waiting does not help. `broke`: nobody asked to wait. */
export function waitOf(
  error: unknown,
  listener: Listener,
): { readonly ms: number; readonly broke: boolean } | undefined {
  const { retryAfterMs, brokeOff } = explain(error, listener) ?? {};
  if (retryAfterMs !== undefined) return { ms: retryAfterMs, broke: false };
  const silent = error instanceof FileRefused && error.why[0] === 'files.refused.no-answer';
  return brokeOff === true || silent ? { ms: AGAIN_MS, broke: true } : undefined;
}
