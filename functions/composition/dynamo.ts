import type { AwsAccess } from '../../shared/runtime/config/config.ts';

type Config = { readonly aws: AwsAccess };

/** For so long the AWS client keeps credentials that change: it asks for others five minutes before that. */
const CACHE_TTL_MS = 10 * 60_000;

/** Where the AWS client finds DynamoDB, and by what right. */
export const dynamoAccess = ({ aws }: Config) => ({
  region: aws.region,
  credentials: aws.renewing
    ? () => Promise.resolve({ ...aws.credentials, expiration: new Date(Date.now() + CACHE_TTL_MS) })
    : aws.credentials,
  ...(aws.endpoints.dynamodb && { endpoint: aws.endpoints.dynamodb }),
});
