import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log, TaskResult } from '../../../shared/worker/index.ts';
import {
  type AttemptDeps,
  parseIsolated,
  serveIsolatedMessage,
  type TaskMessage,
  TaskWorker,
  type WorkerDeps,
} from '../../../shared/task-queue/index.ts';

import { runInTrace } from '../../../shared/runtime/task-trace.ts';
import { errorName } from '../../../shared/utils/error-name.ts';

/** What an invocation needs after the last moment of its work, to store and show how far it got. */
const CLOSING_MS = 15_000;

type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>;

/**
 * Serves the messages that Lambda received for this invocation, and more that come while it works. Those that it names as failed stay on the
 * queue.
 */
export async function serveBatch(
  event: SQSEvent,
  lambda: TimeLeft,
  context: WorkerDeps,
): Promise<SQSBatchResponse> {
  const messages = event.Records.map(messageOf);
  const left = await new TaskWorker(context).serve(messages, deadlineOf(lambda, context));
  const ids = new Set(left.map(({ id }) => id));
  return failures(messages.filter(({ id }) => ids.has(id)));
}

/** Serves messages one after the other. Those that it names as failed stay on the queue. */
export async function serveOneByOne(
  event: SQSEvent,
  lambda: TimeLeft,
  context: AttemptDeps,
): Promise<SQSBatchResponse> {
  const left: TaskMessage[] = [];
  for (const message of event.Records.map(messageOf)) {
    if (await serveIsolatedMessage(message, deadlineOf(lambda, context), context)) left.push(message);
  }
  return failures(left);
}

/**
 * Serves messages that may have killed a process, each in a process of its own: `event` holds where they are. That is deleted first: a message
 * that comes again comes by its own queue. `context` are of that queue.
 */
export async function serveIsolated(
  event: SQSEvent,
  lambda: TimeLeft,
  context: AttemptDeps & { readonly removeNote: (receipt: string) => Promise<void> },
): Promise<SQSBatchResponse> {
  for (const { receiptHandle, body } of event.Records) {
    // Not vital: it comes again with a receipt that is void by then.
    await context.removeNote(receiptHandle).catch(() => undefined);
    const message = parseIsolated(body);
    if (message) await serveIsolatedMessage(message, deadlineOf(lambda, context), context);
  }
  return failures([]);
}

/** Serves messages of the queue of dead letters. What fails stays there until the queue's own time is up. */
export async function serveDeadLetters(
  { Records }: SQSEvent,
  serve: (body: string) => Promise<TaskResult>,
  log: Log,
): Promise<SQSBatchResponse> {
  const kept = await Promise.all(
    Records.map(async (record) => {
      try {
        const { kind } = await runInTrace(record.attributes.AWSTraceHeader, () => serve(record.body));
        return kind === 'done' ? [] : [messageOf(record)];
      } catch (error) {
        const name = errorName(error);
        log('task.failed', { messageId: record.messageId, error: name });
        return [messageOf(record)];
      }
    }),
  );
  return failures(kept.flat());
}

const deadlineOf = (lambda: TimeLeft, { time }: Pick<AttemptDeps, 'time'>): number =>
  time.now() + lambda.getRemainingTimeInMillis() - CLOSING_MS;

const failures = (left: readonly TaskMessage[]): SQSBatchResponse => ({
  batchItemFailures: left.map(({ id }) => ({ itemIdentifier: id })),
});

function messageOf({ messageId, receiptHandle, body, attributes }: SQSRecord): TaskMessage {
  return {
    id: messageId,
    group: attributes.MessageGroupId ?? '',
    body,
    receipt: receiptHandle,
    receives: Number(attributes.ApproximateReceiveCount),
    trace: attributes.AWSTraceHeader,
  };
}
