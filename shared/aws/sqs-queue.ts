import type { AwsCall } from './aws-request.ts';
import { lambdaTrace, type Trace } from '../runtime/trace.ts';

export const SEND_MESSAGE = 'AmazonSQS.SendMessage';

/**
 * Shows a hidden message of the queue of tasks at once, by its receipt. Does nothing where somebody has received it meanwhile. Never rejects: hidden
 * messages come back by themselves.
 */
export type ShowMessage = (receipt: string) => Promise<void>;

/** Makes hidden messages of the queue at `url` in SQS visible. */
export const showMessageIn =
  (url: string, aws: AwsCall): ShowMessage =>
  async (receipt) => {
    const input = JSON.stringify({ QueueUrl: url, ReceiptHandle: receipt, VisibilityTimeout: 0 });
    await aws({ service: 'sqs', target: 'AmazonSQS.ChangeMessageVisibility', input }).catch(() => undefined);
  };

/** Puts tasks on the FIFO queue. */
export interface Queue {
  /**
   * Resolves once the queue holds the message, which is JSON. `group` orders (one in flight per group), `dedup` makes a
   * repetition within five minutes harmless. Rejects when the queue cannot be reached, or does not take the message.
   */
  send(body: string, group: string, dedup: string): Promise<void>;
}

/**
 * The queue at `url` in SQS. `group` and `dedup` are at most 128 printable characters without blanks. Messages carry their trace: SQS hands
 * it to whoever receives them, and X-Ray links both sides by it.
 */
export function sqsQueue(url: string, aws: AwsCall, trace: Trace = lambdaTrace): Queue {
  return {
    async send(body, group, dedup) {
      const StringValue = trace();
      const message = {
        QueueUrl: url,
        // JSON may hold two characters that SQS rejects. As escapes they mean the same. Input is cleaned of them (`parseInput`); what a
        // model or an older record says is not.
        MessageBody: body.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff'),
        MessageGroupId: group,
        MessageDeduplicationId: dedup,
        MessageSystemAttributes: StringValue && { AWSTraceHeader: { DataType: 'String', StringValue } },
      };
      await aws({ service: 'sqs', target: SEND_MESSAGE, input: JSON.stringify(message) });
    },
  };
}
