import {
  ConditionalCheckFailedException,
  DynamoDB,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { ConditionFailed, type Dynamo } from '../../shared/store/index.ts';

/** DynamoDB by the AWS client, for comparison with our own requests. */
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
