import { type AskTask, type Attachment, type Task, threadKey, type TurnRef } from '../domain/index.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { Clock } from '../runtime/time.ts';

/**
 * Puts a question on the queue: in line with its thread, and once, however often it is sent within five minutes. `wish` tells
 * it from an earlier task of the same question, which the queue may still know.
 */
export async function enqueueQuestion(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  { queue, now }: { readonly queue: Queue; readonly now: Clock },
  more: Pick<AskTask, 'model' | 'bot' | 'locale' | 'late'> = {},
  wish = more.late ? 'late' : '',
): Promise<void> {
  const receivedAt = now();
  const asked = { question, attachments: [...attachments], receivedAt, ...more };
  const task: AskTask = { v: 1, kind: 'ask', ...turn, ...asked };
  await enqueueTask(task, wish, queue);
}

/** Has a question and its answer removed, in line with its thread. `into`: the turn that answers it together with others. */
export async function enqueueDeletion(turn: TurnRef, queue: Queue, into = turn.message): Promise<void> {
  const key = `delete-${turn.message}`;
  const how = { kind: 'edited' as const, of: turn.message, question: '', attachments: [] };
  const task: Task = { v: 1, kind: 'redo', round: 0, ...turn, message: into, key, by: turn.asker, how };
  await enqueueTask(task, key, queue);
}

/** Queues a task in line with its thread. `wish` tells two tasks of one kind for one message apart. */
export async function enqueueTask(task: Task, wish: string, queue: Queue): Promise<void> {
  const group = threadKey(task.thread);
  await queue.send(JSON.stringify(task), group, `${task.kind}#${group}#${task.message}${wish && `#${wish}`}`);
}
