import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log, Verdict } from '../shared/flows/index.ts';
import { type TaskMessage, TaskWorker, type WorkerDeps } from '../shared/task-queue/index.ts';

/** What an invocation needs after the last moment of its work, to store and show how far it got. */
const CLOSING_MS = 15_000;

/** Serves the messages that Lambda received for this invocation. Those that it names as failed stay on the queue. */
export async function serveBatch(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
  deps: WorkerDeps,
): Promise<SQSBatchResponse> {
  const deadlineMs = deps.time.now() + context.getRemainingTimeInMillis() - CLOSING_MS;
  const left = await new TaskWorker(deps).serve(event.Records.map(messageOf), deadlineMs);
  return { batchItemFailures: left.map(({ id }) => ({ itemIdentifier: id })) };
}

/** Serves messages of the queue of dead letters. What fails stays there until the queue's own time is up. */
export async function serveDeadLetters(
  { Records }: SQSEvent,
  serve: (body: string) => Promise<Verdict>,
  log: Log,
): Promise<SQSBatchResponse> {
  const kept = await Promise.all(
    Records.map(async ({ messageId, body }) => {
      try {
        const { kind } = await serve(body);
        return kind === 'done' ? [] : [{ itemIdentifier: messageId }];
      } catch (error) {
        log('task.failed', { messageId, error: error instanceof Error ? error.name : 'unknown' });
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: kept.flat() };
}

function messageOf({ messageId, receiptHandle, body, attributes }: SQSRecord): TaskMessage {
  return {
    id: messageId,
    group: attributes.MessageGroupId ?? '',
    body,
    receipt: receiptHandle,
    receives: Number(attributes.ApproximateReceiveCount),
  };
}
