import { ConditionFailedError } from './dynamo.ts';

/**
 * Sends an operation to DynamoDB and resolves with the response. Rejects with an error whose `code` is
 * DynamoDB's error name. (Storage does not depend on a transport; `createAwsCall` is one.)
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
export function dynamoSend(call: DynamoCall): DynamoSend {
  return async (operation, input) => {
    try {
      return await call({
        service: 'dynamodb',
        target: `DynamoDB_20120810.${operation}`,
        input: JSON.stringify(toJson(input)),
      });
    } catch (error) {
      if (isConditionFailure(error))
        throw new ConditionFailedError('the condition did not hold', { cause: error });
      throw error;
    }
  };
}

const isConditionFailure = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ConditionalCheckFailedException';

/** Returns a field of an unknown value; undefined if it does not exist. */
export function getField(of: unknown, key: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined;
}

function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}
