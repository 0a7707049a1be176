import * as v from 'valibot';
import { AwsError } from '../aws-endpoint.ts';
import type { MessageAttribute } from './fifo.ts';

/**
 * What SQS takes as a message, and what it rejects (SQS Developer Guide, "Message quotas"; API Reference, SendMessage and
 * SendMessageBatch). One message, and all messages of a batch together, hold at most 1 MiB, attributes included: 256 KiB until August
 * 2025.
 */
const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_BATCH_ENTRIES = 10;
const MAX_ATTRIBUTES = 10;
const MAX_DELAY_SECONDS = 900;

/** The characters of XML 1.0, without lone surrogates. */
const ALLOWED_TEXT = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const ENTRY_ID = /^[\w-]{1,80}$/;

const attribute = v.object({
  DataType: v.string(),
  StringValue: v.optional(v.string()),
  BinaryValue: v.optional(v.string()),
});
const id128 = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,128}$/));

/** The fields of a message in single and batch sends. */
export const messageFields = {
  MessageBody: v.pipe(v.string(), v.minLength(1)),
  MessageGroupId: id128,
  MessageDeduplicationId: v.optional(id128),
  MessageAttributes: v.optional(v.record(v.string(), attribute)),
  /** The only system attribute. Not counted in the size. */
  MessageSystemAttributes: v.optional(
    v.strictObject({
      AWSTraceHeader: v.optional(v.object({ DataType: v.literal('String'), StringValue: v.string() })),
    }),
  ),
  DelaySeconds: v.optional(v.number()),
};
const Message = v.object(messageFields);
export type SentMessage = v.InferOutput<typeof Message>;

const createSqsError = (name: string, message: string, legacy = name): AwsError =>
  new AwsError(`com.amazonaws.sqs#${name}`, message, legacy);

export const createInvalidParameter = (message: string): AwsError =>
  createSqsError('InvalidParameterValue', message);

/** Throws the error of SQS for an invalid message. All queues here are FIFO. */
export function checkMessage({ MessageBody: body, MessageAttributes = {}, DelaySeconds }: SentMessage): void {
  const attributes = Object.entries(MessageAttributes);
  if (attributes.length > MAX_ATTRIBUTES) {
    throw createInvalidParameter(
      `Number of message attributes [${attributes.length}] exceeds the allowed maximum`,
    );
  }
  const texts = attributes.flatMap(([name, { StringValue = '' }]) => [name, StringValue]);
  if (![body, ...texts].every((text) => ALLOWED_TEXT.test(text))) {
    throw createSqsError('InvalidMessageContents', 'The message contains characters outside the allowed set');
  }
  if (attributes.some(([, { StringValue, BinaryValue }]) => !StringValue && !BinaryValue)) {
    throw createInvalidParameter('A message attribute must contain a non-empty value');
  }
  if (getSize(body, MessageAttributes) > MAX_MESSAGE_BYTES) {
    throw createInvalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than 1 MiB`,
    );
  }
  if (DelaySeconds === undefined) return;
  const inRange = Number.isInteger(DelaySeconds) && DelaySeconds >= 0 && DelaySeconds <= MAX_DELAY_SECONDS;
  throw createInvalidParameter(
    `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: ${
      inRange
        ? 'The request include parameter that is not valid for this queue type'
        : `DelaySeconds must be >= 0 and <= ${MAX_DELAY_SECONDS}`
    }.`,
  );
}

const BatchIds = v.object({ Id: v.string() });

/** Throws when SQS rejects a whole batch. Each entry still has to be checked. */
export function checkBatch(entries: readonly unknown[]): void {
  if (entries.length === 0) throw createBatchError('EmptyBatchRequest', 'There should be at least one entry');
  if (entries.length > MAX_BATCH_ENTRIES) {
    throw createBatchError('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10');
  }
  const ids = entries.map((entry) => v.parse(v.fallback(v.optional(BatchIds), undefined), entry)?.Id ?? '');
  if (!ids.every((id) => ENTRY_ID.test(id))) {
    throw createBatchError('InvalidBatchEntryId', 'A batch entry id holds 1 to 80 letters, digits, - or _');
  }
  if (new Set(ids).size < ids.length) throw createBatchError('BatchEntryIdsNotDistinct', 'An id is repeated');
  const sizes = entries.map((entry) => {
    const read = v.safeParse(Message, entry);
    return read.success ? getSize(read.output.MessageBody, read.output.MessageAttributes ?? {}) : 0;
  });
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_MESSAGE_BYTES) {
    throw createBatchError('BatchRequestTooLong', 'Batch requests cannot be longer than 1 MiB');
  }
}

const createBatchError = (name: string, message: string): AwsError =>
  createSqsError(name, message, `AWS.SimpleQueueService.${name}`);

/** Names, types and values of attributes count like the body. */
function getSize(body: string, attributes: Readonly<Record<string, MessageAttribute>>): number {
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
