import {
  ConditionalCheckFailedException,
  DynamoDB,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo } from './dynamo.ts';
import type { TableScan } from './dynamo.ts';

/**
 * A DynamoDB client with the AWS SDK, which retries throttled and failed requests. A retried write may find its
 * own first attempt: its condition then fails although it took effect. Callers must expect that.
 */
export function createDynamoClient(config: DynamoDBClientConfig): Dynamo {
  const client = new DynamoDB({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
    ...config,
  });
  return {
    get: (input) => client.getItem(input),
    put: async (input) => void (await mapConditionError(client.putItem(input))),
    update: (input) => mapConditionError(client.updateItem(input)),
    delete: async (input) => void (await mapConditionError(client.deleteItem(input))),
    query: (input) => client.query(input),
  };
}

/** Creates the table scan, used for erasure only. */
export function createScan(config: DynamoDBClientConfig): TableScan {
  const client = new DynamoDB({ maxAttempts: 5, ...config });
  return (input) => client.scan(input);
}

async function mapConditionError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      throw new ConditionFailedError('the condition did not hold', { cause: error });
    }
    throw error;
  }
}
