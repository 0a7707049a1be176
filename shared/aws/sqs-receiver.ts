import * as v from 'valibot';
import type { AwsCall } from './aws-request.ts';

/**
 * SQS hides a message for at most 12 hours from its receipt. The time since the receipt counts too: at most 15
 * minutes, the maximum duration of an invocation.
 */
const MAX_VISIBILITY_SECONDS = 43_200 - 900;
/** The maximum number of entries in a batch request. */
const MAX_BATCH_ENTRIES = 10;

const changeVisibilityResponse = v.object({
  Failed: v.optional(v.array(v.object({ Id: v.string(), SenderFault: v.optional(v.boolean()) })), []),
});

/**
 * Hides received messages for the given seconds from now; 0 makes a message visible immediately. One request
 * for ten messages. Resolves with the receipt handles that are no longer valid: their messages were received
 * again or deleted. Rejects if a request failed.
 */
export function changeVisibilities(
  url: string,
  aws: AwsCall,
): (
  messages: readonly { readonly receipt: string; readonly seconds: number }[],
) => Promise<readonly string[]> {
  return async (messages) => {
    const batches = [];
    for (let from = 0; from < messages.length; from += MAX_BATCH_ENTRIES) {
      batches.push(messages.slice(from, from + MAX_BATCH_ENTRIES));
    }
    const failed = await Promise.all(
      batches.map(async (batch) => {
        const Entries = batch.map(({ receipt, seconds }, at) => ({
          Id: String(at),
          ReceiptHandle: receipt,
          VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.max(0, Math.ceil(seconds))),
        }));
        const input = JSON.stringify({ QueueUrl: url, Entries });
        const answer = await aws({ service: 'sqs', target: 'AmazonSQS.ChangeMessageVisibilityBatch', input });
        const { Failed } = v.parse(changeVisibilityResponse, answer);
        return Failed.filter(({ SenderFault }) => SenderFault === true).flatMap(
          ({ Id }) => batch[Number(Id)]?.receipt ?? [],
        );
      }),
    );
    return failed.flat();
  };
}

const receiveResponse = v.object({
  Messages: v.optional(
    v.array(
      v.object({
        MessageId: v.string(),
        ReceiptHandle: v.string(),
        Body: v.string(),
        Attributes: v.object({
          ApproximateReceiveCount: v.string(),
          MessageGroupId: v.string(),
          AWSTraceHeader: v.optional(v.string()),
        }),
      }),
    ),
    [],
  ),
});
/** How long the response may take after the wait time. */
const RECEIVE_TIMEOUT_MS = 5_000;
/** Ten messages of 1 MiB in JSON. */
const MAX_RECEIVED_BYTES = 24 * 1024 * 1024;

/**
 * Receives up to `max` messages (at most ten), hidden for `hiddenSeconds`; waits up to `waitSeconds` for the
 * first. Cannot be cancelled: SQS might send messages to the closed connection, and they would stay hidden
 * until their visibility timeout.
 */
export function receiveMessages(url: string, aws: AwsCall) {
  return async (max: number, hiddenSeconds: number, waitSeconds: number) => {
    const input = JSON.stringify({
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(max, MAX_BATCH_ENTRIES),
      VisibilityTimeout: hiddenSeconds,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId', 'AWSTraceHeader'],
    });
    const target = 'AmazonSQS.ReceiveMessage';
    const signal = AbortSignal.timeout(1_000 * waitSeconds + RECEIVE_TIMEOUT_MS);
    const answer = await aws({ service: 'sqs', target, input, maxResponseBytes: MAX_RECEIVED_BYTES, signal });
    return v
      .parse(receiveResponse, answer)
      .Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
        id: MessageId,
        group: Attributes.MessageGroupId,
        body: Body,
        receipt: ReceiptHandle,
        receives: Number(Attributes.ApproximateReceiveCount),
        trace: Attributes.AWSTraceHeader,
      }));
  };
}

/** Deletes a received message. */
export function deleteMessage(url: string, aws: AwsCall): (receiptHandle: string) => Promise<void> {
  return async (receiptHandle) => {
    const input = JSON.stringify({ QueueUrl: url, ReceiptHandle: receiptHandle });
    await aws({ service: 'sqs', target: 'AmazonSQS.DeleteMessage', input });
  };
}
