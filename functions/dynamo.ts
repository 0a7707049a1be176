import type { AwsAccess } from '../shared/runtime/config.ts';

type Config = { readonly aws: AwsAccess };

/** Where the AWS client finds DynamoDB, and by what right. */
export const dynamoAccess = ({ aws: { region, credentials, endpoints } }: Config) => ({
  region,
  credentials,
  ...(endpoints.dynamodb && { endpoint: endpoints.dynamodb }),
});
