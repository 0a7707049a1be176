import {
  ConditionalCheckFailedException,
  DynamoDB,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo, type TableScan } from './dynamo.ts';
import { withRepeatableWrites } from './write-ids.ts';

/** A DynamoDB client with the AWS SDK, which repeats throttled and failed requests, and requests without a response. */
export const createSdkDynamo = (config: DynamoDBClientConfig): Dynamo =>
  withRepeatableWrites(createSdkClient(config));

/** Like `createSdkDynamo`, without recognizing its own writes. */
function createSdkClient(config: DynamoDBClientConfig): Dynamo {
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

/** Creates the table scan, used to fill the person index. */
export function createTableScan(config: DynamoDBClientConfig): TableScan {
  const client = new DynamoDB({ maxAttempts: 5, ...config });
  return (input) => client.scan(input);
}

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
