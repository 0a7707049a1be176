import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Dynamo, TableScan } from './dynamo.ts';
import { type DynamoCall, createDynamoSend, getField } from './json-protocol.ts';
import { withRepeatableWrites } from './write-ids.ts';

type Item = Record<string, AttributeValue>;

/** A response is not one of DynamoDB's API. Its content is not in the message. */
class InvalidDynamoResponseError extends Error {
  override readonly name = 'InvalidDynamoResponseError';
}

/** A DynamoDB client with signed requests. `call` may repeat them: see `createDynamoCall` and `createAwsCall`. */
export const fetchDynamo = (call: DynamoCall): Dynamo => withRepeatableWrites(createFetchClient(call));

/** Like `fetchDynamo`, without recognizing its own writes. */
export function createFetchClient(call: DynamoCall): Dynamo {
  const send = createDynamoSend(call);
  return {
    get: async (input) => ({ Item: parseItem(getField(await send('GetItem', input), 'Item')) }),
    put: async (input) => void (await send('PutItem', input)),
    update: async (input) => ({
      Attributes: parseItem(getField(await send('UpdateItem', input), 'Attributes')),
    }),
    delete: async (input) => void (await send('DeleteItem', input)),
    query: async (input) => parsePage(await send('Query', input)),
  };
}

/** Creates the table scan, used for erasure and for the person index only. */
export function fetchScan(call: DynamoCall): TableScan {
  const send = createDynamoSend(call);
  return async (input) => {
    const response = await send('Scan', input);
    const units = getField(getField(response, 'ConsumedCapacity'), 'CapacityUnits');
    return {
      ...parsePage(response),
      ConsumedCapacity: typeof units === 'number' ? { CapacityUnits: units } : undefined,
    };
  };
}

function parsePage(response: unknown) {
  const items = getField(response, 'Items');
  return {
    Items: items === undefined ? undefined : parseList(items, parseRecord),
    LastEvaluatedKey: parseItem(getField(response, 'LastEvaluatedKey')),
  };
}

const parseItem = (value: unknown): Item | undefined =>
  value === undefined ? undefined : parseRecord(value);

function parseRecord(value: unknown): Item {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidDynamoResponseError();
  const item: Item = {};
  for (const [name, attribute] of Object.entries(value)) item[name] = parseAttribute(attribute);
  return item;
}

/** Not by a schema of the validation library, which takes a tenth of the processor time of an answer. */
function parseAttribute(value: unknown): AttributeValue {
  const entries: [string, unknown][] = Object.entries(value instanceof Object ? value : {});
  const [type = '', content] = entries[0] ?? [];
  if (entries.length !== 1) throw new InvalidDynamoResponseError();
  switch (type) {
    case 'S':
      return { S: parseText(content) };
    case 'N':
      return { N: parseText(content) };
    case 'B':
      return { B: parseBinary(content) };
    case 'BOOL':
      return { BOOL: parseBoolean(content) };
    case 'NULL':
      return { NULL: parseBoolean(content) };
    case 'SS':
      return { SS: parseList(content, parseText) };
    case 'NS':
      return { NS: parseList(content, parseText) };
    case 'BS':
      return { BS: parseList(content, parseBinary) };
    case 'L':
      return { L: parseList(content, parseAttribute) };
    case 'M':
      return { M: parseRecord(content) };
    default:
      throw new InvalidDynamoResponseError();
  }
}

function parseText(value: unknown): string {
  if (typeof value !== 'string') throw new InvalidDynamoResponseError();
  return value;
}

function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new InvalidDynamoResponseError();
  return value;
}

const parseBinary = (value: unknown): Uint8Array => new Uint8Array(Buffer.from(parseText(value), 'base64'));

function parseList<Value>(value: unknown, parse: (value: unknown) => Value): Value[] {
  if (!Array.isArray(value)) throw new InvalidDynamoResponseError();
  return value.map((one: unknown) => parse(one));
}
