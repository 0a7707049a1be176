import {
  type AskTask,
  type Attachment,
  type ReindexTask,
  serializeTask,
  type Task,
  threadKey,
  type TurnRef,
} from '../domain/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Clock } from '../runtime/index.ts';

/**
 * Queues a question in the message group of its thread. Sent again within five minutes, it has no effect.
 * `requestKey` distinguishes it from an earlier task of the same question, which the queue may still
 * deduplicate.
 */
export async function enqueueQuestion(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  { queue, now }: { readonly queue: Queue; readonly now: Clock },
  more: Pick<
    AskTask,
    'model' | 'bot' | 'hidden' | 'locale' | 'late' | 'editedAt' | 'edit' | 'searchToken' | 'mayHaveFiles'
  > = {},
  requestKey = more.edit ?? (more.late ? 'late' : ''),
): Promise<void> {
  const receivedAt = now();
  const fields = { question, attachments: [...attachments], receivedAt, ...more };
  const task: AskTask = { v: 1, kind: 'ask', ...turn, ...fields };
  await enqueueTask(task, requestKey, queue);
}

/**
 * Queues the deletion of a question and its answer in the message group of its thread. `into`: the turn that answers the question
 * together with others.
 */
export async function enqueueDeletion(turn: TurnRef, queue: Queue, into = turn.message): Promise<void> {
  const key = `delete-${turn.message}`;
  const change = { kind: 'edited' as const, editedMessage: turn.message, question: '', attachments: [] };
  const task: Task = { v: 1, kind: 'redo', round: 0, ...turn, message: into, key, by: turn.asker, change };
  await enqueueTask(task, key, queue);
}

/**
 * Queues a task in the message group of its thread. Sent again within five minutes, it has no effect. `requestKey` distinguishes two
 * tasks of one kind for one message. All ids are those of the platforms, or as short: see `enqueueNamedTask`.
 */
export async function enqueueTask(task: Task, requestKey: string, queue: Queue): Promise<void> {
  const group = threadKey(task.thread);
  await queue.send(
    serializeTask(task),
    group,
    `${task.kind}#${group}#${task.message}${requestKey && `#${requestKey}`}`,
  );
}

type EditedText = Pick<ReindexTask, 'text' | 'editedAt' | 'mayHaveFiles'> & {
  readonly attachments: readonly Attachment[];
};

/** Queues that the text of an edited message, which is in the collection of its channel, is indexed again. */
export async function enqueueReindex(
  turn: TurnRef,
  { text, attachments, mayHaveFiles, editedAt }: EditedText,
  queue: Queue,
): Promise<void> {
  const content = { text, attachments: [...attachments], mayHaveFiles, editedAt };
  const task: ReindexTask = { v: 1, kind: 'reindex', ...turn, ...content };
  await enqueueTask(task, String(editedAt), queue);
}
