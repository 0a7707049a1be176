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

/** Queues a task in line with its thread. `wish` tells two tasks of one kind for one message apart. */
export async function enqueueTask(task: Task, wish: string, queue: Queue): Promise<void> {
  const group = threadKey(task.thread);
  await queue.send(JSON.stringify(task), group, `${task.kind}#${group}#${task.message}${wish && `#${wish}`}`);
}
