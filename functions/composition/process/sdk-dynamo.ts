import type { AwsAccess } from '../../../shared/runtime/index.ts';
import {
  type Dynamo,
  createSdkDynamo,
  createTableScan,
  type TableScan,
} from '../../../shared/storage/index.ts';
import { setDynamo } from '../dynamo.ts';

type Config = { readonly aws: AwsAccess };

/** How long the SDK uses credentials that rotate. It requests new ones five minutes earlier. */
const CREDENTIALS_TTL_MS = 10 * 60_000;

const getAccess = ({ aws }: Config) => ({
  region: aws.region,
  credentials: aws.renewing
    ? () => Promise.resolve({ ...aws.credentials, expiration: new Date(Date.now() + CREDENTIALS_TTL_MS) })
    : aws.credentials,
  ...(aws.endpoints.dynamodb && { endpoint: aws.endpoints.dynamodb }),
});

/**
 * Gives a function the DynamoDB client of the AWS SDK, which follows changes of the service. For functions whose memory and
 * start do not decide the price of an answer.
 */
export function useAwsSdk(config: Config): Dynamo {
  const dynamo = createSdkDynamo(getAccess(config));
  setDynamo(config, dynamo);
  return dynamo;
}

export const createSdkScan = (config: Config): TableScan => createTableScan(getAccess(config));
