import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Dynamo } from './dynamo.ts';
import { type DynamoCall, dynamoSend } from './json-protocol.ts';
import { withRepeatableWrites } from './write-ids.ts';

const binary = v.pipe(
  v.string(),
  v.transform((base64) => new Uint8Array(Buffer.from(base64, 'base64'))),
);
const attribute: v.GenericSchema<unknown, AttributeValue> = v.union([
  v.strictObject({ S: v.string() }),
  v.strictObject({ N: v.string() }),
  v.strictObject({ B: binary }),
  v.strictObject({ BOOL: v.boolean() }),
  v.strictObject({ NULL: v.boolean() }),
  v.strictObject({ SS: v.array(v.string()) }),
  v.strictObject({ NS: v.array(v.string()) }),
  v.strictObject({ BS: v.array(binary) }),
  v.strictObject({ L: v.lazy(() => v.array(attribute)) }),
  v.strictObject({ M: v.lazy(() => v.record(v.string(), attribute)) }),
]);
const item = v.record(v.string(), attribute);
const getResponse = v.object({ Item: v.optional(item) });
const updateResponse = v.object({ Attributes: v.optional(item) });
const queryResponse = v.object({ Items: v.optional(v.array(item)), LastEvaluatedKey: v.optional(item) });

/** A DynamoDB client with signed requests, without the start-up time of the AWS SDK (`createDynamoClient`). */
export function fetchDynamo(call: DynamoCall): Dynamo {
  const send = dynamoSend(call);
  return withRepeatableWrites({
    get: async (input) => v.parse(getResponse, await send('GetItem', input)),
    put: async (input) => void (await send('PutItem', input)),
    update: async (input) => v.parse(updateResponse, await send('UpdateItem', input)),
    delete: async (input) => void (await send('DeleteItem', input)),
    query: async (input) => v.parse(queryResponse, await send('Query', input)),
  });
}
