import { type HearTask, recordingName } from '../../conversation/index.ts';
import { sendToHear } from '../overhear.ts';
import type { Delivery, Verdict } from '../ports.ts';
import type { VoiceDeps } from './ports.ts';
import { toOf } from './recording.ts';

type OnwardDeps = Pick<VoiceDeps, 'recordings' | 'recordingsQueue'>;

/** How many pieces of a task's recordings are heard and kept. */
async function heardOf(task: HearTask, { recordings }: OnwardDeps): Promise<number> {
  const { thread, message } = task;
  let heard = 0;
  for (const one of task.recordings) {
    const pieces = await recordings.pieces({ thread, message, file: recordingName(one) }, toOf(task));
    heard += pieces.length;
  }
  return heard;
}

/**
 * Whether waiting may help. The queue delivers a task five times; one that got on since it was sent is sent once more, so that
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
  await sendToHear({ ...task, heard }, `${task.wish.kind}#${heard}`, deps.recordingsQueue);
  return { kind: 'done' };
}
