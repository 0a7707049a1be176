import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import { AwsError } from '../../shared/aws/aws-request.ts';
import { OPEN_INDEX, PERSON_INDEX } from '../../shared/runtime/shared-names.ts';
import { ConditionFailedError } from '../../shared/storage/index.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';

/** AWS would reject the request. */
export class AwsRejectedError extends Error {
  override readonly name = 'AwsRejectedError';
}

type Item = Record<string, AttributeValue>;

/** DynamoDB Developer Guide, "Quotas": bytes of a partition key and of a sort key. */
const MAX_PARTITION_KEY_BYTES = 2_048;
const MAX_SORT_KEY_BYTES = 1_024;
const INDEXES = [OPEN_INDEX, PERSON_INDEX];
const NUMBER = /^-?\d{1,38}(?:\.\d{1,38})?(?:[eE][+-]?\d{1,3})?$/u;

function checkKey(name: string, value: AttributeValue | undefined, maxBytes: number): void {
  const text = value?.S ?? value?.N ?? '';
  if (text === '') throw new AwsRejectedError(`the key ${name} is empty`);
  if (Buffer.byteLength(text) > maxBytes)
    throw new AwsRejectedError(`the key ${name} is longer than ${maxBytes} bytes`);
}

function checkKeys(item: Item): void {
  checkKey('pk', item['pk'], MAX_PARTITION_KEY_BYTES);
  if (item['sk'] !== undefined) checkKey('sk', item['sk'], MAX_SORT_KEY_BYTES);
}

function checkValues(values: Item): void {
  for (const [name, { N, SS }] of Object.entries(values)) {
    if (N !== undefined && !NUMBER.test(N))
      throw new AwsRejectedError(`${name} is no number: ${N.slice(0, 40)}`);
    if (SS && (SS.length === 0 || new Set(SS).size !== SS.length))
      throw new AwsRejectedError(`${name} is no set: it is empty, or has a member twice`);
  }
}

function checkItem(item: Item): void {
  checkKeys(item);
  checkValues(item);
  for (const { partition, sort } of INDEXES) {
    // The key attribute of an index may be absent (the item is then not in the index), but not empty.
    if (item[partition]) checkKey(partition, item[partition], MAX_PARTITION_KEY_BYTES);
    if (item[partition] && item[sort]) checkKey(`${sort} of an index`, item[sort], MAX_SORT_KEY_BYTES);
  }
}

// oxlint-disable-next-line no-control-regex -- these are what SQS rejects
const REJECTED = /[\0-\x08\v\f\x0E-\x1F\p{Cs}\uFFFE\uFFFF]/u;
/** SQS API reference, SendMessage: letters, digits and punctuation. */
const ID = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/u;
/** SQS Developer Guide, "Message quotas". */
const MAX_MESSAGE_BYTES = 1024 * 1024;

const sending = v.object({
  MessageBody: v.string(),
  MessageGroupId: v.string(),
  MessageDeduplicationId: v.string(),
});

function checkMessage(input: unknown): string {
  const { MessageBody: body, ...ids } = v.parse(sending, input);
  if (body === '' || REJECTED.test(body))
    throw new AwsRejectedError('the body is empty, or holds a character that SQS rejects');
  if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES)
    throw new AwsRejectedError('the body is longer than 1 MiB');
  for (const [name, id] of Object.entries(ids))
    if (!ID.test(id))
      throw new AwsRejectedError(`${name} is not allowed: ${JSON.stringify(id).slice(0, 150)}`);
  return body;
}

const isItem = v.custom<Item>((of) => typeof of === 'object' && of !== null);
const operation = v.looseObject({
  TableName: v.string(),
  Key: v.optional(isItem, {}),
  Item: v.optional(isItem, {}),
  ExpressionAttributeValues: v.optional(isItem),
});

/** The JSON protocol encodes bytes as base64. */
const revived = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) =>
    key === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value,
  );
const onWire = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, of: unknown) =>
      of instanceof Uint8Array ? Buffer.from(of).toString('base64') : of,
    ),
  );

async function table(memory: MemoryDynamo, target: string, text: string): Promise<unknown> {
  const input = v.parse(operation, revived(text));
  const { TableName, Key, Item, ExpressionAttributeValues = {} } = input;
  checkValues(ExpressionAttributeValues);
  if (target.endsWith('.PutItem')) checkItem(Item);
  else if (!target.endsWith('.Query')) checkKeys(Key);
  switch (target) {
    case 'DynamoDB_20120810.GetItem':
      return memory.get(input);
    case 'DynamoDB_20120810.PutItem':
      return memory.put(input);
    case 'DynamoDB_20120810.DeleteItem':
      return memory.delete(input);
    case 'DynamoDB_20120810.Query':
      return memory.query(input);
    case 'DynamoDB_20120810.UpdateItem': {
      const result = await memory.update(input);
      checkItem((await memory.get({ TableName, Key })).Item ?? {});
      return result;
    }
    default:
      throw new AwsRejectedError(`nobody expected ${target}`);
  }
}

export type StrictAws = {
  readonly aws: AwsCall;
  readonly memory: MemoryDynamo;
  /** The bodies of the queued messages. */
  readonly queued: string[];
  /** The number of requests to AWS. */
  calls: number;
  /** The requests that AWS rejected. */
  readonly rejections: string[];
};

/**
 * Tables and queues of AWS in memory, behind the real protocol, that reject the keys, numbers and texts that AWS
 * rejects.
 */
export function strictAws(): StrictAws {
  const memory = createMemoryDynamo();
  const queued: string[] = [];
  const rejections: string[] = [];
  const harness: StrictAws = {
    memory,
    queued,
    rejections,
    calls: 0,
    aws: async ({ service, target, input }) => {
      harness.calls += 1;
      try {
        if (service === 'sqs') {
          queued.push(checkMessage(JSON.parse(input)));
          return {};
        }
        return onWire((await table(memory, target, input)) ?? {});
      } catch (error) {
        if (error instanceof ConditionFailedError)
          throw new AwsError(target, 400, 'ConditionalCheckFailedException');
        rejections.push(error instanceof Error ? `${error.name}: ${error.message}` : 'unknown');
        throw new AwsError(target, 400, 'ValidationException');
      }
    },
  };
  return harness;
}
