import {
  ConditionalCheckFailedException,
  DynamoDB,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailed, type Dynamo } from './dynamo.ts';
import type { TableScan } from '../privacy/erasure.ts';

/**
 * DynamoDB by the AWS client, which retries throttled and broken calls. A retried write may find its own first try: its
 * condition then fails although it took effect, and the callers are made for that.
 */
export function createDynamoClient(config: DynamoDBClientConfig): Dynamo {
  const client = new DynamoDB({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    ...config,
  });
  return {
    get: (input) => client.getItem(input),
    put: async (input) => void (await conditional(client.putItem(input))),
    update: (input) => conditional(client.updateItem(input)),
    delete: async (input) => void (await conditional(client.deleteItem(input))),
    query: (input) => client.query(input),
  };
}

/** Reads a table through, for erasing alone. */
export function createScan(config: DynamoDBClientConfig): TableScan {
  const client = new DynamoDB({ maxAttempts: 5, ...config });
  return (input) => client.scan(input);
}

async function conditional<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      throw new ConditionFailed('the condition did not hold', { cause: error });
    }
    throw error;
  }
}
