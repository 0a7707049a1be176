import { ConditionFailed } from './dynamo.ts';

/**
 * One operation of DynamoDB: resolves with its answer, rejects with an error whose `code` is DynamoDB's own name for it.
 * (The store knows no transport; `createAwsCall` of the runtime is one.)
 */
export type DynamoCall = (operation: {
  readonly service: 'dynamodb';
  readonly target: string;
  readonly input: string;
}) => Promise<unknown>;

/** One operation by its name. Resolves with what came back, not yet validated; rejects with ConditionFailed. */
export type DynamoSend = (operation: string, input: object) => Promise<unknown>;

/** DynamoDB's own protocol: JSON, binary values in base64. */
export function dynamoSend(call: DynamoCall): DynamoSend {
  return async (operation, input) => {
    try {
      return await call({
        service: 'dynamodb',
        target: `DynamoDB_20120810.${operation}`,
        input: JSON.stringify(toJson(input)),
      });
    } catch (error) {
      if (isRefused(error)) throw new ConditionFailed('the condition did not hold', { cause: error });
      throw error;
    }
  };
}

const isRefused = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ConditionalCheckFailedException';

/** What lies under this name; undefined where nothing does. */
export function within(of: unknown, key: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined;
}

function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}
