import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Check, skip, type Variables, warn } from '../../configuration/index.ts';
import type { AwsAccount } from './signed-request.ts';

/** Variables of which each says that there are credentials. */
const CREDENTIAL_VARIABLES = ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'];

/** Whether this machine has credentials for AWS. Does not ask the metadata service of EC2, which takes seconds elsewhere. */
export function hasAwsCredentials(env: Variables): boolean {
  if (CREDENTIAL_VARIABLES.some((name) => env[name])) return true;
  const folder = join(homedir(), '.aws');
  const files = [
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(folder, 'credentials'),
    env['AWS_CONFIG_FILE'] ?? join(folder, 'config'),
  ];
  return files.some((file) => existsSync(file));
}

export const noAwsAccount: Check = skip(
  'AWS',
  'this machine has no credentials for it. They are only needed to deploy.',
);

/** Loads the credentials and the region as the AWS CLI does. Resolves with a check if there is none, or it is not readable. */
export async function loadAwsAccount(env: Variables): Promise<AwsAccount | Check> {
  // Loaded only here: the other commands do not need it.
  const { DynamoDB } = await import('@aws-sdk/client-dynamodb');
  const { config } = new DynamoDB({});
  try {
    const [credentials, region] = await Promise.all([config.credentials(), config.region()]);
    return { credentials, region, endpoint: env['AWS_ENDPOINT_URL'] };
  } catch (error) {
    const reason =
      error instanceof Error && /region/i.test(error.message)
        ? 'no region is set'
        : 'they could not be loaded';
    return warn(
      'AWS credentials',
      `were not checked: ${reason}.`,
      'Run "aws configure" or "aws sso login", or set AWS_PROFILE and AWS_REGION.',
    );
  }
}
