import type {
  DeleteItemCommandInput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';

/**
 * The five single-item calls that this system makes of DynamoDB. Implemented by the AWS client (`dynamoClient`),
 * by a small signed request where start-up time counts (`fetchDynamo`), and in memory for the fault simulation.
 * No transactions and no reliance on the item returned by a failed condition.
 */
export interface Dynamo {
  get(input: GetItemCommandInput): Promise<Pick<GetItemCommandOutput, 'Item'>>;
  put(input: PutItemCommandInput): Promise<void>;
  update(input: UpdateItemCommandInput): Promise<Pick<UpdateItemCommandOutput, 'Attributes'>>;
  delete(input: DeleteItemCommandInput): Promise<void>;
  query(input: QueryCommandInput): Promise<Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'>>;
}

/** The condition of a write did not hold. Every implementation throws this one class. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** Whether a conditional write took place; false if its condition did not hold. */
export async function ignoreConditionFailure(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
