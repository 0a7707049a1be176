import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { Dynamo } from './dynamo.ts';
import { type DynamoCall, dynamoSend } from './dynamo-json.ts';

const binary = z.pipe(
  z.string(),
  z.transform((base64) => new Uint8Array(Buffer.from(base64, 'base64'))),
);
const attribute: z.ZodMiniType<AttributeValue> = z.union([
  z.strictObject({ S: z.string() }),
  z.strictObject({ N: z.string() }),
  z.strictObject({ B: binary }),
  z.strictObject({ BOOL: z.boolean() }),
  z.strictObject({ NULL: z.boolean() }),
  z.strictObject({ SS: z.array(z.string()) }),
  z.strictObject({ NS: z.array(z.string()) }),
  z.strictObject({ BS: z.array(binary) }),
  z.strictObject({ L: z.lazy(() => z.array(attribute)) }),
  z.strictObject({ M: z.lazy(() => z.record(z.string(), attribute)) }),
]);
const item = z.record(z.string(), attribute);
const got = z.object({ Item: z.optional(item) });
const updated = z.object({ Attributes: z.optional(item) });
const found = z.object({ Items: z.optional(z.array(item)), LastEvaluatedKey: z.optional(item) });

/** DynamoDB by small signed requests: what `createDynamoClient` does, without the AWS client's start-up time. */
export function dynamoLight(call: DynamoCall): Dynamo {
  const send = dynamoSend(call);
  return {
    get: async (input) => got.parse(await send('GetItem', input)),
    put: async (input) => void (await send('PutItem', input)),
    update: async (input) => updated.parse(await send('UpdateItem', input)),
    delete: async (input) => void (await send('DeleteItem', input)),
    query: async (input) => found.parse(await send('Query', input)),
  };
}
