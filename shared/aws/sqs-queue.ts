import type { AwsCall } from './aws-request.ts';
import { getLambdaTrace, type Trace } from '../runtime/index.ts';

export const SEND_MESSAGE = 'AmazonSQS.SendMessage';

/**
 * Makes a hidden message of the task queue visible, by its receipt handle. Does nothing if the message was
 * received again. Never rejects: hidden messages become visible by themselves.
 */
export type ShowMessage = (receipt: string) => Promise<void>;

/** Creates the function that makes a hidden message visible at once. It never rejects: the message becomes visible later by itself. */
export const createShowMessage =
  (url: string, aws: AwsCall): ShowMessage =>
  async (receipt) => {
    const input = JSON.stringify({ QueueUrl: url, ReceiptHandle: receipt, VisibilityTimeout: 0 });
    await aws({ service: 'sqs', target: 'AmazonSQS.ChangeMessageVisibility', input }).catch(() => undefined);
  };

/** A FIFO queue for tasks. */
export interface Queue {
  /**
   * Sends a JSON message and resolves when the queue has stored it. Messages of one `group` are delivered in
   * order, one at a time. A repeated `dedup` within five minutes has no effect. Rejects if the queue is
   * unavailable or rejects the message.
   */
  send(body: string, group: string, dedup: string): Promise<void>;
}

/**
 * Creates the queue at `url`. `group` and `dedup` have at most 128 printable characters without spaces.
 * Messages carry their trace, so that X-Ray links sender and receiver.
 */
export function createSqsQueue(url: string, aws: AwsCall, trace: Trace = getLambdaTrace): Queue {
  return {
    async send(body, group, dedup) {
      const StringValue = trace();
      const message = {
        QueueUrl: url,
        // JSON may contain two characters that SQS rejects; escaped, they mean the same. Platform input is
        // already clean (`parsePlatformJson`), text of models and older records is not.
        MessageBody: body.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff'),
        MessageGroupId: group,
        MessageDeduplicationId: dedup,
        MessageSystemAttributes: StringValue && { AWSTraceHeader: { DataType: 'String', StringValue } },
      };
      await aws({ service: 'sqs', target: SEND_MESSAGE, input: JSON.stringify(message) });
    },
  };
}
