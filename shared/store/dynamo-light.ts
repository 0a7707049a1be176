import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { ConditionFailed, type Dynamo } from './dynamo.ts';

/**
 * One operation of DynamoDB: resolves with its answer, rejects with an error whose `code` is DynamoDB's own name for it.
 * (The store knows no transport; `awsCaller` of the runtime is one.)
 */
export type DynamoCall = (operation: {
  readonly service: 'dynamodb';
  readonly target: string;
  readonly input: string;
}) => Promise<unknown>;

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
  const send = async (operation: string, input: object): Promise<unknown> => {
    try {
      return await call({
        service: 'dynamodb',
        target: `DynamoDB_20120810.${operation}`,
        input: encode(input),
      });
    } catch (error) {
      if (isRefused(error)) throw new ConditionFailed('the condition did not hold', { cause: error });
      throw error;
    }
  };
  return {
    get: async (input) => got.parse(await send('GetItem', input)),
    put: async (input) => void (await send('PutItem', input)),
    update: async (input) => updated.parse(await send('UpdateItem', input)),
    delete: async (input) => void (await send('DeleteItem', input)),
    query: async (input) => found.parse(await send('Query', input)),
  };
}

const refused = z.object({ code: z.literal('ConditionalCheckFailedException') });
const isRefused = (error: unknown): boolean => refused.safeParse(error).success;

/** As JSON, binary values in base64. */
function encode(input: object): string {
  return JSON.stringify(toJson(input));
}

function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}
