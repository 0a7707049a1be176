import * as z from 'zod/mini';
import { AwsError } from '../aws-endpoint.ts';
import type { MessageAttribute } from './fifo.ts';

/**
 * What SQS takes as a message, and what it rejects (SQS Developer Guide, "Message quotas"; API Reference, SendMessage and
 * SendMessageBatch). One message, and all messages of a batch together, hold at most 1 MiB, attributes included: 256 KiB until August
 * 2025.
 */
export const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_BATCH_ENTRIES = 10;
const MAX_ATTRIBUTES = 10;
const MAX_DELAY_SECONDS = 900;

/** The characters of XML 1.0. A lone surrogate is none of them. */
const ALLOWED_TEXT = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const ENTRY_ID = /^[\w-]{1,80}$/;

const attribute = z.object({
  DataType: z.string(),
  StringValue: z.optional(z.string()),
  BinaryValue: z.optional(z.string()),
});
const id128 = z.string().check(z.regex(/^[\x21-\x7e]{1,128}$/));

/** The fields of a message that is sent, alone or in a batch. */
export const messageFields = {
  MessageBody: z.string().check(z.minLength(1)),
  MessageGroupId: id128,
  MessageDeduplicationId: z.optional(id128),
  MessageAttributes: z.optional(z.record(z.string(), attribute)),
  /** The only one that there is; it counts for no size. */
  MessageSystemAttributes: z.optional(
    z.strictObject({
      AWSTraceHeader: z.optional(z.object({ DataType: z.literal('String'), StringValue: z.string() })),
    }),
  ),
  DelaySeconds: z.optional(z.number()),
};
const Message = z.object(messageFields);
export type SentMessage = z.infer<typeof Message>;

export const sqsError = (name: string, message: string, legacy = name): AwsError =>
  new AwsError(`com.amazonaws.sqs#${name}`, message, legacy);

export const invalidParameter = (message: string): AwsError => sqsError('InvalidParameterValue', message);

/** Throws what SQS answers to a message that it does not take. All queues here are FIFO. */
export function checkMessage({ MessageBody: body, MessageAttributes = {}, DelaySeconds }: SentMessage): void {
  const attributes = Object.entries(MessageAttributes);
  if (attributes.length > MAX_ATTRIBUTES) {
    throw invalidParameter(`Number of message attributes [${attributes.length}] exceeds the allowed maximum`);
  }
  const texts = attributes.flatMap(([name, { StringValue = '' }]) => [name, StringValue]);
  if (![body, ...texts].every((text) => ALLOWED_TEXT.test(text))) {
    throw sqsError('InvalidMessageContents', 'The message contains characters outside the allowed set');
  }
  if (attributes.some(([, { StringValue, BinaryValue }]) => !StringValue && !BinaryValue)) {
    throw invalidParameter('A message attribute must contain a non-empty value');
  }
  if (sizeOf(body, MessageAttributes) > MAX_MESSAGE_BYTES) {
    throw invalidParameter(`One or more parameters are invalid. Reason: Message must be shorter than 1 MiB`);
  }
  if (DelaySeconds === undefined) return;
  const inRange = Number.isInteger(DelaySeconds) && DelaySeconds >= 0 && DelaySeconds <= MAX_DELAY_SECONDS;
  throw invalidParameter(
    `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: ${
      inRange
        ? 'The request include parameter that is not valid for this queue type'
        : `DelaySeconds must be >= 0 and <= ${MAX_DELAY_SECONDS}`
    }.`,
  );
}

const BatchIds = z.object({ Id: z.string() });

/** Throws where SQS rejects a batch as a whole. Each entry is still to be checked by itself. */
export function checkBatch(entries: readonly unknown[]): void {
  if (entries.length === 0) throw batchError('EmptyBatchRequest', 'There should be at least one entry');
  if (entries.length > MAX_BATCH_ENTRIES) {
    throw batchError('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10');
  }
  const ids = entries.map((entry) => BatchIds.safeParse(entry).data?.Id ?? '');
  if (!ids.every((id) => ENTRY_ID.test(id))) {
    throw batchError('InvalidBatchEntryId', 'A batch entry id holds 1 to 80 letters, digits, - or _');
  }
  if (new Set(ids).size < ids.length) throw batchError('BatchEntryIdsNotDistinct', 'An id is repeated');
  const sizes = entries.map((entry) => {
    const { data } = Message.safeParse(entry);
    return data ? sizeOf(data.MessageBody, data.MessageAttributes ?? {}) : 0;
  });
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_MESSAGE_BYTES) {
    throw batchError('BatchRequestTooLong', 'Batch requests cannot be longer than 1 MiB');
  }
}

const batchError = (name: string, message: string): AwsError =>
  sqsError(name, message, `AWS.SimpleQueueService.${name}`);

/** Name, type and value of an attribute count like the body. */
function sizeOf(body: string, attributes: Readonly<Record<string, MessageAttribute>>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      sum +
      Buffer.byteLength(name) +
      Buffer.byteLength(DataType) +
      Buffer.byteLength(StringValue) +
      Buffer.byteLength(BinaryValue, 'base64'),
    Buffer.byteLength(body),
  );
}
