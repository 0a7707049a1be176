import * as v from 'valibot';
import { createHash } from 'node:crypto';
import { AwsError } from '../aws-endpoint.ts';
import type { AwsOperations } from '../aws-endpoint.ts';
import type { QueueMessage } from './fifo.ts';
import type { Queues, ReceiptProblem, ReceivedMessage } from './queues.ts';
import { md5, hashAttributes } from './checksums.ts';
import {
  checkBatch,
  checkMessage,
  createInvalidParameter,
  messageFields,
  type SentMessage,
} from './messages.ts';

const TWELVE_HOURS_S = 43_200;

const QueueUrl = v.object({ QueueUrl: v.string() });
const SendMessage = v.object({ ...QueueUrl.entries, ...messageFields });
const BatchEntry = v.object({ Id: v.string(), ...messageFields });
const SendMessageBatch = v.object({ ...QueueUrl.entries, Entries: v.array(v.unknown()) });
const Seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(TWELVE_HOURS_S));
const ReceiveMessage = v.object({
  ...QueueUrl.entries,
  MaxNumberOfMessages: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
  VisibilityTimeout: v.optional(Seconds),
  WaitTimeSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20))),
  MessageSystemAttributeNames: v.optional(v.array(v.string())),
  /** Deprecated, but clients still send it. */
  AttributeNames: v.optional(v.array(v.string())),
});
const DeleteMessage = v.object({ ...QueueUrl.entries, ReceiptHandle: v.string() });
const ChangeVisibility = v.object({ ...DeleteMessage.entries, VisibilityTimeout: Seconds });
const ChangeVisibilityBatch = v.object({
  ...QueueUrl.entries,
  Entries: v.pipe(
    v.array(v.object({ Id: v.string(), ReceiptHandle: v.string(), VisibilityTimeout: Seconds })),
    v.minLength(1),
    v.maxLength(10),
  ),
});
const GetQueueUrl = v.object({ QueueName: v.string() });

/** The SQS operations that the functions and tools use. */
export function createSqsOperations(queues: Queues, urlOf: (name: string) => string): AwsOperations {
  return {
    'AmazonSQS.SendMessage': (input) => sendMessage(queues, input),
    'AmazonSQS.SendMessageBatch': (input) => sendBatch(queues, input),
    'AmazonSQS.ReceiveMessage': (input, signal) => receiveMessage(queues, input, signal),
    'AmazonSQS.DeleteMessage': (input) => {
      const { QueueUrl: url, ReceiptHandle: receipt } = read(DeleteMessage, input);
      throwReceiptError(queues.delete(getQueueName(queues, url), receipt));
    },
    'AmazonSQS.ChangeMessageVisibility': (input) => {
      const request = read(ChangeVisibility, input);
      const ms = request.VisibilityTimeout * 1000;
      throwReceiptError(
        queues.changeVisibility(getQueueName(queues, request.QueueUrl), request.ReceiptHandle, ms),
      );
    },
    'AmazonSQS.ChangeMessageVisibilityBatch': (input) => changeVisibilities(queues, input),
    'AmazonSQS.GetQueueAttributes': (input) => {
      const counts = queues.counts(getQueueName(queues, read(QueueUrl, input).QueueUrl));
      return {
        Attributes: {
          ApproximateNumberOfMessages: String(counts.visible),
          ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
          FifoQueue: 'true',
        },
      };
    },
    'AmazonSQS.GetQueueUrl': (input) => {
      const { QueueName: queue } = read(GetQueueUrl, input);
      if (queues.rules(queue) === undefined) throw createNoQueueError();
      return { QueueUrl: urlOf(queue) };
    },
  };
}

/** Returns the system attributes of a received message, as in `ReceiveMessage` and Lambda events. */
export function getSystemAttributes(message: QueueMessage): Record<string, string> {
  return {
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    SentTimestamp: String(message.sentAt),
    SenderId: 'local',
    SequenceNumber: formatSequence(message.sequence),
    MessageGroupId: message.group,
    MessageDeduplicationId: message.dedup,
    ...(message.trace && { AWSTraceHeader: message.trace }),
  };
}

function sendMessage(queues: Queues, input: unknown) {
  const message = read(SendMessage, input);
  return acceptMessage(queues, getQueueName(queues, message.QueueUrl), message);
}

/** Invalid entries fail separately; the others are sent. */
function sendBatch(queues: Queues, input: unknown) {
  const batch = read(SendMessageBatch, input);
  const queue = getQueueName(queues, batch.QueueUrl);
  checkBatch(batch.Entries);
  const Successful: unknown[] = [];
  const Failed: unknown[] = [];
  for (const entry of batch.Entries) {
    const { Id } = read(v.object({ Id: v.string() }), entry);
    try {
      Successful.push({ Id, ...acceptMessage(queues, queue, read(BatchEntry, entry)) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id, SenderFault: true, Code: error.legacyCode, Message: error.message });
    }
  }
  return { Successful, Failed };
}

function acceptMessage(queues: Queues, queue: string, message: SentMessage) {
  checkMessage(message);
  const { MessageBody: body, MessageGroupId: group, MessageAttributes: attributes = {} } = message;
  const ofContent = queues.rules(queue)?.contentDedup
    ? createHash('sha256').update(body).digest('hex')
    : undefined;
  const dedup = message.MessageDeduplicationId ?? ofContent;
  if (dedup === undefined) throw createInvalidParameter('The queue needs a MessageDeduplicationId');
  const trace = message.MessageSystemAttributes?.AWSTraceHeader?.StringValue;
  const { id, sequence } = queues.send(queue, { body, group, dedup, attributes, trace });
  return {
    MessageId: id,
    MD5OfMessageBody: md5(body),
    MD5OfMessageAttributes: hashAttributes(attributes),
    SequenceNumber: formatSequence(sequence),
  };
}

/** Invalid entries fail separately. */
function changeVisibilities(queues: Queues, input: unknown) {
  const { QueueUrl: url, Entries } = read(ChangeVisibilityBatch, input);
  const queue = getQueueName(queues, url);
  const results = Entries.map(({ Id, ReceiptHandle, VisibilityTimeout }) => {
    const problem = queues.changeVisibility(queue, ReceiptHandle, VisibilityTimeout * 1000);
    return { Id, problem };
  });
  return {
    Successful: results.filter(({ problem }) => problem === undefined).map(({ Id }) => ({ Id })),
    Failed: results
      .filter(({ problem }) => problem !== undefined)
      .map(({ Id, problem }) => ({
        Id,
        SenderFault: true,
        Code: problem === 'hidden-too-long' ? 'InvalidParameterValue' : 'ReceiptHandleIsInvalid',
      })),
  };
}

async function receiveMessage(queues: Queues, input: unknown, signal: AbortSignal) {
  const request = read(ReceiveMessage, input);
  const queue = getQueueName(queues, request.QueueUrl);
  const hiddenMs = request.VisibilityTimeout === undefined ? undefined : request.VisibilityTimeout * 1000;
  const take = () => queues.receive(queue, request.MaxNumberOfMessages ?? 1, hiddenMs);
  let received = take();
  if (received.length === 0 && request.WaitTimeSeconds) {
    await waitForChange(queues, queue, request.WaitTimeSeconds * 1000, signal);
    received = signal.aborted ? [] : take();
  }
  const names = [...(request.MessageSystemAttributeNames ?? []), ...(request.AttributeNames ?? [])];
  return { Messages: received.map((one) => describe(one, names)) };
}

/** Resolves when the queue changes, the client disconnects, or the time is over. */
function waitForChange(queues: Queues, queue: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stop = queues.onChange(queue, done);
    signal.addEventListener('abort', done);
  });
}

/** SQS returns only the requested attributes. */
function describe({ message, receipt }: ReceivedMessage, names: readonly string[]) {
  const all = Object.entries(getSystemAttributes(message));
  return {
    MessageId: message.id,
    ReceiptHandle: receipt,
    Body: message.body,
    MD5OfBody: md5(message.body),
    Attributes: Object.fromEntries(all.filter(([name]) => names.includes(name) || names.includes('All'))),
    MessageAttributes: message.attributes,
    MD5OfMessageAttributes: hashAttributes(message.attributes),
  };
}

function read<T extends v.GenericSchema>(shape: T, input: unknown): v.InferOutput<T> {
  const result = v.safeParse(shape, input);
  if (!result.success) throw createInvalidParameter(v.summarize(result.issues));
  return result.output;
}

function getQueueName(queues: Queues, url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1);
  if (queues.rules(name) === undefined) throw createNoQueueError();
  return name;
}

function throwReceiptError(problem: ReceiptProblem | undefined): void {
  if (problem === 'unknown-receipt') {
    throw new AwsError(
      'com.amazonaws.sqs#ReceiptHandleIsInvalid',
      'The receipt handle is void',
      'ReceiptHandleIsInvalid',
    );
  }
  if (problem === 'not-in-flight') {
    throw new AwsError(
      'com.amazonaws.sqs#MessageNotInflight',
      'The receipt handle has expired',
      'AWS.SimpleQueueService.MessageNotInflight',
    );
  }
  if (problem === 'hidden-too-long')
    throw createInvalidParameter(
      'Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    );
}

function createNoQueueError(): AwsError {
  return new AwsError(
    'com.amazonaws.sqs#QueueDoesNotExist',
    'The queue does not exist',
    'AWS.SimpleQueueService.NonExistentQueue',
  );
}

function formatSequence(sequence: number): string {
  return String(sequence).padStart(20, '0');
}
