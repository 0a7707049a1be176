import { type AwsCall, awsCaller } from '../shared/runtime/aws-request.ts';
import type { AwsAccess } from '../shared/runtime/config.ts';

type Config = { readonly aws: AwsAccess };

/** Calls of DynamoDB, tried for long: what was answered is not to be lost because a table was busy for a moment. */
export const dynamoCallOf = ({ aws }: Config): AwsCall => awsCaller(aws, { deadlineMs: 5_000, tries: 4 });
