import { taskContext, type ProcessContext, type WorkerContext } from './context.ts';
import {
  type AskTask,
  type Attachment,
  parseTask,
  splitRecordings,
  type Task,
  type Thread,
  taskTurnRef,
  type QueueDelivery,
  type TaskResult,
} from '../domain/index.ts';
import {
  answerQuestion,
  postFailureNotice,
  rejectUnauthorized,
  resolveAttachments,
  reconcile,
  regenerateAnswer,
  isStillQueued,
} from '../chat/index.ts';
import { erase, runExport } from '../privacy/index.ts';
import { dispatchInteraction } from '../commands/index.ts';
import { enqueueTranscription } from '../voice/index.ts';
import { advanceJob } from '../video/index.ts';
import { getInteractionSettingsPlace, getTurnSettingsPlace, withSettings } from '../settings/index.ts';
import { needsLargeWorker } from './needs-large-worker.ts';

/**
 * A task that this version cannot read comes from the version that is being deployed, or the previous one, which runs within
 * minutes. If not, the task becomes a dead letter, which raises an alarm.
 */
export const OTHER_VERSION: TaskResult = { kind: 'later', afterMs: 60_000 };

/** Runs the task in a message of the queue. */
export async function dispatchTask(
  body: string,
  process: ProcessContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const context = taskContext(process);
  const task = parseTask(body);
  if (!task) {
    context.log('task.unreadable', { bytes: body.length });
    return OTHER_VERSION;
  }
  const place =
    task.kind === 'invoked' ? getInteractionSettingsPlace(task.invocation) : getTurnSettingsPlace(task);
  const here = await withSettings(place, context);
  if (context.movesLarge && needsLargeWorker(task, context.memory))
    return leaveToAnother(task, here, delivery);
  switch (task.kind) {
    case 'erase':
      return erase(task, context, delivery);
    case 'export':
      return runExport(task, context, delivery);
    case 'ask':
      return (await rejectUnauthorized(task, here, delivery)) ?? answerTask(task, here, delivery);
    case 'apologise':
      return postFailureNotice(task, here, delivery);
    case 'reconcile':
      return reconcile(task, here, delivery);
    case 'redo':
      if (task.how.kind !== 'edited') return regenerateAnswer(task, here, delivery);
      return regenerateAnswer({ ...task, how: await withFiles(task.how, task.thread, here) }, here, delivery);
    case 'video':
      return advanceJob(task, here);
    case 'invoked':
      return dispatchInteraction(task, here, delivery);
  }
}

/** Leaves a task to the large worker. A question whose turn in the wait queue is far off only goes back to the queue. */
async function leaveToAnother(
  task: Task,
  context: WorkerContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const waits = task.kind === 'ask' ? await isStillQueued(taskTurnRef(task), context, delivery) : undefined;
  return waits ?? { kind: 'too-large' };
}

/**
 * Answers a question. If its files turn out to be recordings, they are transcribed first, and the question returns with the transcript.
 * Not for another bot, whose question would return as a person's.
 */
async function answerTask(
  task: AskTask,
  context: WorkerContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const asked = await withFiles(task, task.thread, context);
  const { recordings, others } = splitRecordings(asked);
  const known = recordings.length === splitRecordings(task).recordings.length;
  if (known || task.bot) return answerQuestion(asked, context, delivery);
  const { question, receivedAt, edit } = task;
  const request = { kind: 'ask' as const, question, attachments: others, receivedAt, edit, again: true };
  const { queue, recordings: noted } = context.transcription;
  await enqueueTranscription(
    { v: 1, kind: 'hear', ...taskTurnRef(task), recordings, wish: request },
    'again',
    queue,
    noted,
  );
  return { kind: 'done' };
}

/** Completes the metadata of the files of a question. */
async function withFiles<T extends { readonly attachments: readonly Attachment[] }>(
  asked: T,
  thread: Thread,
  { platform }: WorkerContext,
): Promise<T> {
  return { ...asked, attachments: await resolveAttachments(thread, asked.attachments, platform) };
}
