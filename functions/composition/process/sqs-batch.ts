import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Log, runInTrace, parseTraceId } from '../../../shared/runtime/index.ts';
import type { TaskResult } from '../../../shared/domain/index.ts';
import {
  type AttemptDeps,
  parseIsolated,
  serveIsolatedMessage,
  type TaskMessage,
  TaskWorker,
  type WorkerDeps,
} from '../../../shared/task-queue/index.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';

/** Time at the end of an invocation to store and show partial results. */
const CLOSING_MS = 15_000;

type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>;

/** Handles the messages of this invocation, and more that it receives while it works. Failed ones stay on the queue. */
export async function serveBatch(
  event: SQSEvent,
  lambda: TimeLeft,
  context: WorkerDeps,
): Promise<SQSBatchResponse> {
  const messages = event.Records.map(toTaskMessage);
  const left = await new TaskWorker(context).serve(messages, getDeadline(lambda, context));
  const ids = new Set(left.map(({ id }) => id));
  return failures(messages.filter(({ id }) => ids.has(id)));
}

/** Handles messages one after the other. Failed ones stay on the queue. */
export async function serveOneByOne(
  event: SQSEvent,
  lambda: TimeLeft,
  context: AttemptDeps,
): Promise<SQSBatchResponse> {
  const left: TaskMessage[] = [];
  for (const message of event.Records.map(toTaskMessage)) {
    if (await serveIsolatedMessage(message, getDeadline(lambda, context), context)) left.push(message);
  }
  return failures(left);
}

/**
 * Handles messages that may crash a process, each in its own process. `event` holds references to them, which are deleted
 * first: a retry comes from the message's own queue. `context` is of that queue.
 */
export async function serveIsolated(
  event: SQSEvent,
  lambda: TimeLeft,
  context: AttemptDeps & { readonly removeNote: (receipt: string) => Promise<void> },
): Promise<SQSBatchResponse> {
  for (const { receiptHandle, body } of event.Records) {
    // Not critical: a second delivery has an expired receipt.
    await context.removeNote(receiptHandle).catch(() => undefined);
    const message = parseIsolated(body);
    if (message) await serveIsolatedMessage(message, getDeadline(lambda, context), context);
  }
  return failures([]);
}

/** Handles dead letters. `serve` gets the body and when it was sent (ms since 1970). What fails is received again after the visibility timeout. */
export async function serveDeadLetters(
  { Records }: SQSEvent,
  serve: (body: string, sentAtMs: number) => Promise<TaskResult>,
  log: Log,
): Promise<SQSBatchResponse> {
  const results = await Promise.all(
    Records.map(async (record) => {
      try {
        const { kind } = await runInTrace(record.attributes.AWSTraceHeader, () =>
          serve(record.body, Number(record.attributes.SentTimestamp)),
        );
        return kind === 'done' ? [] : [toTaskMessage(record)];
      } catch (error) {
        const message = toTaskMessage(record);
        const { id: messageId, group: thread, trace } = message;
        log('task.failed', { messageId, thread, ...getErrorFacts(error), trace: parseTraceId(trace) });
        return [message];
      }
    }),
  );
  return failures(results.flat());
}

const getDeadline = (lambda: TimeLeft, { time }: Pick<AttemptDeps, 'time'>): number =>
  time.now() + lambda.getRemainingTimeInMillis() - CLOSING_MS;

const failures = (left: readonly TaskMessage[]): SQSBatchResponse => ({
  batchItemFailures: left.map(({ id }) => ({ itemIdentifier: id })),
});

function toTaskMessage({ messageId, receiptHandle, body, attributes }: SQSRecord): TaskMessage {
  return {
    id: messageId,
    group: attributes.MessageGroupId ?? '',
    body,
    receipt: receiptHandle,
    receives: Number(attributes.ApproximateReceiveCount),
    trace: attributes.AWSTraceHeader,
  };
}
