import { ConditionFailedError } from './dynamo.ts';

/**
 * Sends an operation to DynamoDB and resolves with the response. Rejects with an error whose `code` is
 * DynamoDB's error name, and whose `mayHaveSucceeded` is true if an earlier attempt had no response. (Storage does not depend on a transport; `createAwsCall` is one.)
 */
export type DynamoCall = (operation: {
  readonly service: 'dynamodb';
  readonly target: string;
  readonly input: string;
}) => Promise<unknown>;

/**
 * Sends an operation by name. Resolves with the response, not yet validated; rejects with ConditionFailedError.
 */
export type DynamoSend = (operation: string, input: object) => Promise<unknown>;

/** Implements DynamoDB's JSON protocol, with binary values in base64. */
export function createDynamoSend(call: DynamoCall): DynamoSend {
  return async (operation, input) => {
    try {
      return await call({
        service: 'dynamodb',
        target: `DynamoDB_20120810.${operation}`,
        input: JSON.stringify(input, encodeBytes),
      });
    } catch (error) {
      if (getField(error, 'code') === 'ConditionalCheckFailedException')
        throw new ConditionFailedError(getField(error, 'mayHaveSucceeded') === true, { cause: error });
      throw error;
    }
  };
}

/** Returns a field of an unknown value; undefined if it does not exist. */
export function getField(of: unknown, key: string): unknown {
  return of instanceof Object && Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined;
}

/** A replacer for `JSON.stringify`. A Buffer has already replaced itself in `value`, so the original is read. */
function encodeBytes(this: unknown, key: string, value: unknown): unknown {
  const original: unknown = Reflect.get(Object(this), key);
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}
