import {
  ConditionalCheckFailedException,
  DynamoDB,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo, type TableScan } from './dynamo.ts';
import { withRepeatableWrites } from './write-ids.ts';

/**
 * A DynamoDB client with the AWS SDK, which repeats throttled and failed requests, and requests without a response within
 * `timeoutMs`.
 */
export const createSdkDynamo = (config: DynamoDBClientConfig, timeoutMs = 3_000): Dynamo =>
  withRepeatableWrites(createSdkClient(config, timeoutMs));

/** Like `createSdkDynamo`, without recognizing its own writes. */
function createSdkClient(config: DynamoDBClientConfig, timeoutMs: number): Dynamo {
  const client = new DynamoDB({ maxAttempts: 3, requestHandler: createTimeouts(timeoutMs), ...config });
  return {
    get: (input) => client.getItem(input),
    put: async (input) => void (await mapConditionError(client.putItem(input))),
    update: (input) => mapConditionError(client.updateItem(input)),
    delete: async (input) => void (await mapConditionError(client.deleteItem(input))),
    query: (input) => client.query(input),
  };
}

/** Creates the table scan, used to fill the person index. A page of it may take longer than other requests. */
export function createTableScan(config: DynamoDBClientConfig, timeoutMs = 10_000): TableScan {
  const client = new DynamoDB({ maxAttempts: 5, requestHandler: createTimeouts(timeoutMs), ...config });
  return (input) => client.scan(input);
}

/** Without `throwOnRequestTimeout` the SDK only logs a warning and goes on waiting. */
const createTimeouts = (requestTimeout: number) => ({
  connectionTimeout: 1_000,
  requestTimeout,
  throwOnRequestTimeout: true,
});

async function mapConditionError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      throw new ConditionFailedError((error.$metadata.attempts ?? 1) > 1, { cause: error });
    }
    throw error;
  }
}
