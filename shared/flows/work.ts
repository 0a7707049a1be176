import {
  type AskTask,
  type Attachment,
  parseTask,
  partRecordings,
  type Task,
  type Thread,
  turnOf,
} from '../conversation/index.ts';
import { answer } from './answer.ts';
import { apologise } from './apologise.ts';
import { barred } from './barred.ts';
import { described } from './described.ts';
import { erase } from './erase.ts';
import { exporting } from './export.ts';
import { invoked } from './invoked.ts';
import { sendToHear } from './overhear.ts';
import { isLarge } from './large.ts';
import { makeVideo } from './video/make.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { reconcile } from './reconcile.ts';
import { redo } from './redo.ts';
import { placeOfCall, placeOfTurn, withSettings } from './settings.ts';
import { stillInQueue } from './wait-in-queue.ts';

/**
 * A task that this version cannot read is for the one that is being deployed, or was before: within some minutes it is
 * there. If not, the task ends in the dead letters, which sound an alarm.
 */
export const OTHER_VERSION: Verdict = { kind: 'later', afterMs: 60_000 };

/** Does what a message of the queue asks for. */
export async function work(body: string, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const task = parseTask(body);
  if (!task) {
    deps.log('task.unreadable', { bytes: body.length });
    return OTHER_VERSION;
  }
  const place = task.kind === 'invoked' ? placeOfCall(task.invocation) : placeOfTurn(task);
  const here = await withSettings(place, deps);
  if (deps.movesLarge && isLarge(task, deps.memory)) return leaveToAnother(task, here, delivery);
  switch (task.kind) {
    case 'erase':
      return erase(task, deps, delivery);
    case 'export':
      return exporting(task, deps, delivery);
    case 'ask':
      return (await barred(task, here, delivery)) ?? ask(task, here, delivery);
    case 'apologise':
      return apologise(task, here, delivery);
    case 'reconcile':
      return reconcile(task, here, delivery);
    case 'redo':
      if (task.how.kind !== 'edited') return redo(task, here, delivery);
      return redo({ ...task, how: await withFiles(task.how, task.thread, here) }, here, delivery);
    case 'video':
      return makeVideo(task, here);
    case 'invoked':
      return invoked(task, here, delivery);
  }
}

/** A question that only comes to see how it stands in the queue of a key goes back without moving. */
async function leaveToAnother(task: Task, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const waits = task.kind === 'ask' ? await stillInQueue(turnOf(task), deps, delivery) : undefined;
  return waits ?? { kind: 'too-large' };
}

/**
 * Answers; a question in which there turns out to be something to hear is first heard, and comes again with the words. Not
 * that of another bot, which would come back as a person's.
 */
async function ask(task: AskTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const asked = await withFiles(task, task.thread, deps);
  const { recordings, others } = partRecordings(asked);
  const known = recordings.length === partRecordings(task).recordings.length;
  if (known || task.bot || !deps.hearing) return answer(asked, deps, delivery);
  const { question, receivedAt } = task;
  const wish = { kind: 'ask' as const, question, attachments: others, receivedAt, again: true };
  const { queue, recordings: noted } = deps.hearing;
  await sendToHear({ v: 1, kind: 'hear', ...turnOf(task), recordings, wish }, 'again', queue, noted);
  return { kind: 'done' };
}

/** With what is to be known of the files of a question. */
async function withFiles<T extends { readonly attachments: readonly Attachment[] }>(
  asked: T,
  thread: Thread,
  { platform }: Deps,
): Promise<T> {
  return { ...asked, attachments: await described(thread, asked.attachments, platform) };
}
