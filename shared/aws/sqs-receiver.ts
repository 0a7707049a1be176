import * as v from 'valibot';
import type { AwsCall } from './aws-request.ts';

/**
 * SQS lets a message be hidden for 12 hours from when it was received, the time that has passed since then included: a quarter of
 * an hour at most, since no invocation takes longer.
 */
const MAX_VISIBILITY_SECONDS = 43_200 - 900;
/** Entries of one batch call. */
const MAX_BATCH_ENTRIES = 10;

const Changed = v.object({
  Failed: v.optional(v.array(v.object({ Id: v.string(), SenderFault: v.optional(v.boolean()) })), []),
});

/**
 * Hides messages that were received from the queue at `url` for so many seconds from now; 0 gives one back at once. One call for ten
 * messages. Resolves with the receipts that are void: their messages were received again, or are gone. Rejects where a call failed.
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
        const { Failed } = v.parse(Changed, answer);
        return Failed.filter(({ SenderFault }) => SenderFault === true).flatMap(
          ({ Id }) => batch[Number(Id)]?.receipt ?? [],
        );
      }),
    );
    return failed.flat();
  };
}

const Received = v.object({
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
/** How long an answer may take once the waiting is over. */
const RECEIVE_TIMEOUT_MS = 5_000;
/** Ten messages of 1 MiB, as JSON. */
const MAX_RECEIVED_BYTES = 24 * 1024 * 1024;

/**
 * Receives up to `max` messages (ten at most) of the queue at `url`, hidden for `hiddenSeconds`; waits up to `waitSeconds` for the first.
 * There is no way to end it early: SQS may hand messages to a connection that is closed, and they would be lost until they are visible again.
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
    const answer = await aws({ service: 'sqs', target, input, maxAnswerBytes: MAX_RECEIVED_BYTES, signal });
    return v.parse(Received, answer).Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      id: MessageId,
      group: Attributes.MessageGroupId,
      body: Body,
      receipt: ReceiptHandle,
      receives: Number(Attributes.ApproximateReceiveCount),
      trace: Attributes.AWSTraceHeader,
    }));
  };
}

/** Takes a message that was received off the queue at `url`. */
export function removeMessage(url: string, aws: AwsCall): (receiptHandle: string) => Promise<void> {
  return async (receiptHandle) => {
    const input = JSON.stringify({ QueueUrl: url, ReceiptHandle: receiptHandle });
    await aws({ service: 'sqs', target: 'AmazonSQS.DeleteMessage', input });
  };
}
