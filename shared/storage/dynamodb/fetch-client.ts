import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { Dynamo } from './dynamo.ts';
import { type DynamoCall, dynamoSend } from './json-protocol.ts';

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
const got = v.object({ Item: v.optional(item) });
const updated = v.object({ Attributes: v.optional(item) });
const found = v.object({ Items: v.optional(v.array(item)), LastEvaluatedKey: v.optional(item) });

/** DynamoDB by small signed requests: what `createDynamoClient` does, without the AWS client's start-up time. */
export function fetchDynamo(call: DynamoCall): Dynamo {
  const send = dynamoSend(call);
  return {
    get: async (input) => v.parse(got, await send('GetItem', input)),
    put: async (input) => void (await send('PutItem', input)),
    update: async (input) => v.parse(updated, await send('UpdateItem', input)),
    delete: async (input) => void (await send('DeleteItem', input)),
    query: async (input) => v.parse(found, await send('Query', input)),
  };
}
