import * as v from 'valibot';
import { type Queue, createSqsQueue } from '../../../shared/aws/index.ts';
import type { SystemAccess } from './open-system.ts';
import { AwsCallError, type OperatorCall, toServiceCall } from './operator-call.ts';

/** A message that was received from a queue, and is hidden from others for a while. */
export type QueuedMessage = {
  readonly id: string;
  readonly group: string;
  readonly body: string;
  readonly receipt: string;
  readonly receives: number;
  /** ms since 1970. */
  readonly sentAt: number;
  readonly trace: string | undefined;
};

const receivedSchema = v.object({
  Messages: v.optional(
    v.array(
      v.object({
        MessageId: v.string(),
        ReceiptHandle: v.string(),
        Body: v.string(),
        Attributes: v.object({
          ApproximateReceiveCount: v.string(),
          SentTimestamp: v.string(),
          MessageGroupId: v.string(),
          AWSTraceHeader: v.optional(v.string()),
        }),
      }),
    ),
    [],
  ),
});
const countsSchema = v.object({
  Attributes: v.object({
    ApproximateNumberOfMessages: v.string(),
    ApproximateNumberOfMessagesNotVisible: v.string(),
  }),
});

const BATCH = 10;

/** With any wait SQS asks all of its servers. Without one it asks some of them, and may return nothing although there are messages. */
const WAIT_SECONDS = { local: 0, deployment: 1 } as const;

/**
 * Receives the visible messages, at most `max`, and hides them for `hiddenSeconds`. In order within a group, and of each group at most ten: the others are
 * locked behind them.
 */
export async function receiveAll(
  { call, kind }: Pick<SystemAccess, 'call' | 'kind'>,
  url: string,
  hiddenSeconds: number,
  max: number,
): Promise<QueuedMessage[]> {
  const messages: QueuedMessage[] = [];
  while (messages.length < max) {
    const input = {
      QueueUrl: url,
      MaxNumberOfMessages: BATCH,
      VisibilityTimeout: hiddenSeconds,
      WaitTimeSeconds: WAIT_SECONDS[kind],
      MessageSystemAttributeNames: ['All'],
    };
    const page = v.parse(receivedSchema, await call('sqs', 'AmazonSQS.ReceiveMessage', input));
    if (page.Messages.length === 0) break;
    for (const { MessageId: id, ReceiptHandle: receipt, Body: body, Attributes } of page.Messages)
      messages.push({
        id,
        receipt,
        body,
        group: Attributes.MessageGroupId,
        receives: Number(Attributes.ApproximateReceiveCount),
        sentAt: Number(Attributes.SentTimestamp),
        trace: Attributes.AWSTraceHeader,
      });
  }
  return messages;
}

const changedSchema = v.object({
  Failed: v.optional(v.array(v.object({ Id: v.string(), SenderFault: v.optional(v.boolean()) })), []),
});

/**
 * Hides received messages for `seconds` from now; 0 makes them visible. Resolves with those that are still ours: the others became visible by themselves, or
 * are deleted.
 */
export async function hideMessages(
  call: OperatorCall,
  url: string,
  messages: readonly QueuedMessage[],
  seconds: number,
): Promise<readonly QueuedMessage[]> {
  const stillHidden: QueuedMessage[] = [];
  for (let from = 0; from < messages.length; from += BATCH) {
    const batch = messages.slice(from, from + BATCH);
    const Entries = batch.map(({ receipt }, index) => ({
      Id: String(index),
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    }));
    const input = { QueueUrl: url, Entries };
    const { Failed } = v.parse(
      changedSchema,
      await call('sqs', 'AmazonSQS.ChangeMessageVisibilityBatch', input),
    );
    const lost = new Set(Failed.filter(({ SenderFault }) => SenderFault).map(({ Id }) => Number(Id)));
    stillHidden.push(...batch.filter((_, index) => !lost.has(index)));
  }
  return stillHidden;
}

/** Returns how many messages are visible, and how many somebody works on. */
export async function countMessages(
  call: OperatorCall,
  url: string,
): Promise<{ readonly visible: number; readonly hidden: number }> {
  const input = {
    QueueUrl: url,
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  };
  const { Attributes } = v.parse(countsSchema, await call('sqs', 'AmazonSQS.GetQueueAttributes', input));
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    hidden: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
}

/** What SQS says of a receipt whose time is over, by its protocol and by what has happened to the message. */
const EXPIRED_RECEIPT = /InvalidParameterValue|ReceiptHandleIsInvalid|MessageNotInflight/u;

/** Deletes a received message. Does nothing if its time is over: then somebody else may have received it. */
export async function deleteFromQueue(call: OperatorCall, url: string, receipt: string): Promise<void> {
  try {
    await call('sqs', 'AmazonSQS.DeleteMessage', { QueueUrl: url, ReceiptHandle: receipt });
  } catch (error) {
    if (!(error instanceof AwsCallError && EXPIRED_RECEIPT.test(error.code))) throw error;
  }
}

/** Returns a queue to send to. `trace`: the trace that messages carry. */
export const openQueue = (call: OperatorCall, url: string, trace?: string): Queue =>
  createSqsQueue(url, toServiceCall(call), () => trace);
