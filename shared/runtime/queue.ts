import type { AwsCall } from './aws-request.ts';

export const SEND_MESSAGE = 'AmazonSQS.SendMessage';

/** Puts tasks on the FIFO queue. */
export interface Queue {
  /**
   * Resolves once the queue holds the message, which is JSON. `group` orders (one in flight per group), `dedup` makes a
   * repetition within five minutes harmless. Rejects when the queue cannot be reached, or does not take the message.
   */
  send(body: string, group: string, dedup: string): Promise<void>;
}

/** The queue at `url` in SQS. `group` and `dedup` are at most 128 printable characters without blanks. */
export function sqsQueue(url: string, aws: AwsCall): Queue {
  return {
    async send(body, group, dedup) {
      const message = {
        QueueUrl: url,
        // JSON may hold two characters that SQS rejects. As escapes they mean the same. Input is cleaned of them (`parseInput`); what a
        // model or an older record says is not.
        MessageBody: body.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff'),
        MessageGroupId: group,
        MessageDeduplicationId: dedup,
      };
      await aws({ service: 'sqs', target: SEND_MESSAGE, input: JSON.stringify(message) });
    },
  };
}

/**
 * SQS lets a message be hidden for 12 hours from when it was received, the time that has passed since then included: a quarter of
 * an hour at most, since no invocation takes longer.
 */
const MAX_VISIBILITY_SECONDS = 43_200 - 900;
/** Entries of one batch call. */
const MAX_BATCH_ENTRIES = 10;

/**
 * Hides messages that were received from the queue at `url` for so many seconds from now; 0 gives one back at once. One call for ten
 * messages. Rejects where a call failed; a message that is not this receiver's any more is passed over.
 */
export function changeVisibilities(
  url: string,
  aws: AwsCall,
): (messages: readonly { readonly receipt: string; readonly seconds: number }[]) => Promise<void> {
  return async (messages) => {
    const entries = messages.map(({ receipt, seconds }, at) => ({
      Id: String(at),
      ReceiptHandle: receipt,
      VisibilityTimeout: Math.min(MAX_VISIBILITY_SECONDS, Math.max(0, Math.ceil(seconds))),
    }));
    const calls = [];
    for (let from = 0; from < entries.length; from += MAX_BATCH_ENTRIES) {
      const input = JSON.stringify({ QueueUrl: url, Entries: entries.slice(from, from + MAX_BATCH_ENTRIES) });
      calls.push(aws({ service: 'sqs', target: 'AmazonSQS.ChangeMessageVisibilityBatch', input }));
    }
    await Promise.all(calls);
  };
}

/** Takes a message that was received off the queue at `url`. */
export function removeMessage(url: string, aws: AwsCall): (receiptHandle: string) => Promise<void> {
  return async (receiptHandle) => {
    const input = JSON.stringify({ QueueUrl: url, ReceiptHandle: receiptHandle });
    await aws({ service: 'sqs', target: 'AmazonSQS.DeleteMessage', input });
  };
}
