import type { AwsAccess } from '../../shared/runtime/index.ts';

type Config = { readonly aws: AwsAccess };

/** How long the AWS client uses credentials that rotate. It requests new ones five minutes earlier. */
const CACHE_TTL_MS = 10 * 60_000;

/** The endpoint and credentials of the DynamoDB client. */
export const dynamoAccess = ({ aws }: Config) => ({
  region: aws.region,
  credentials: aws.renewing
    ? () => Promise.resolve({ ...aws.credentials, expiration: new Date(Date.now() + CACHE_TTL_MS) })
    : aws.credentials,
  ...(aws.endpoints.dynamodb && { endpoint: aws.endpoints.dynamodb }),
});
