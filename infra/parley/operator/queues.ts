import * as v from 'valibot';
import { type Queue, createSqsQueue } from '../../../shared/aws/index.ts';
import { type OperatorCall, toServiceCall } from './operator-call.ts';

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

/** Receives all visible messages, at most `max`, and hides them for `hiddenSeconds`. In order within a group. */
export async function receiveAll(
  call: OperatorCall,
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
      WaitTimeSeconds: 0,
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

/** Makes received messages visible again. Those that became visible by themselves are left out. */
export async function showAgain(
  call: OperatorCall,
  url: string,
  messages: readonly QueuedMessage[],
): Promise<void> {
  for (let from = 0; from < messages.length; from += BATCH) {
    const Entries = messages
      .slice(from, from + BATCH)
      .map(({ receipt }, index) => ({ Id: String(index), ReceiptHandle: receipt, VisibilityTimeout: 0 }));
    await call('sqs', 'AmazonSQS.ChangeMessageVisibilityBatch', { QueueUrl: url, Entries });
  }
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

export const deleteFromQueue = async (call: OperatorCall, url: string, receipt: string): Promise<void> =>
  void (await call('sqs', 'AmazonSQS.DeleteMessage', { QueueUrl: url, ReceiptHandle: receipt }));

/** Returns a queue to send to. `trace`: the trace that messages carry. */
export const openQueue = (call: OperatorCall, url: string, trace?: string): Queue =>
  createSqsQueue(url, toServiceCall(call), () => trace);
