import { type AwsCall, awsCaller, AwsFailed } from '../shared/runtime/aws-request.ts';
import type { AwsAccess } from '../shared/runtime/config.ts';
import { dynamoLight, type Scan, scanLight } from '../shared/store/dynamo-light.ts';
import type { Dynamo } from '../shared/store/index.ts';

type Config = { readonly aws: AwsAccess };

/** For all attempts of one connection; DynamoDB answers within some milliseconds. */
const TIMEOUT_MS = 3_000;
const MAX_ATTEMPTS = 3;
/** For the limits: after this the table counts as gone, and a request is sent at a trickle, not late. */
const LIMITS_TIMEOUT_MS = 1_000;

/**
 * DynamoDB for those who do tasks. Calls that are throttled, break or do not end are repeated. A repeated write may find its own first attempt: its
 * condition then fails although it took effect, and the callers are made for that.
 */
export const dynamoFor = ({ aws }: Config, timeoutMs = TIMEOUT_MS): Dynamo =>
  dynamoLight(patientCall(aws, timeoutMs));

/** Reads tables through, for erasing, exports and the index of persons. */
export const scanFor = ({ aws }: Config): Scan => scanLight(patientCall(aws));

/** DynamoDB for the limits. One attempt: a take that is sent twice would cost two slots. */
export const limitsDynamo = ({ aws }: Config): Dynamo =>
  dynamoLight(awsCaller(aws, { deadlineMs: LIMITS_TIMEOUT_MS, maxAttempts: 1 }));

function patientCall(aws: AwsAccess, deadlineMs = TIMEOUT_MS): AwsCall {
  const call = awsCaller(aws, { deadlineMs, maxAttempts: MAX_ATTEMPTS });
  return async (operation) => {
    try {
      return await call(operation);
    } catch (error) {
      if (error instanceof AwsFailed && error.code === 'Timeout') return call(operation);
      throw error;
    }
  };
}
