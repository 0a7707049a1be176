import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Check, skip, type Variables, warn } from '../../configuration/index.ts';
import type { AwsAccount } from './signed-request.ts';

/** Variables of which each says that there are credentials. */
const CREDENTIAL_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  // AWS CloudShell, and containers.
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
];

/** Whether variables or files say that this machine has credentials for AWS. Those of the role of an EC2 instance are in neither. */
export function hasAwsCredentials(env: Variables): boolean {
  if (CREDENTIAL_VARIABLES.some((name) => env[name])) return true;
  const folder = join(homedir(), '.aws');
  const files = [
    env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(folder, 'credentials'),
    env['AWS_CONFIG_FILE'] ?? join(folder, 'config'),
  ];
  return files.some((file) => existsSync(file));
}

/** Files of Linux by whose content it is known to run on EC2: on Nitro, and on Xen. Source: Amazon EC2 User Guide, "Detect whether a host is an EC2 instance". */
const EC2_MARKS = [
  ['/sys/devices/virtual/dmi/id/sys_vendor', /^Amazon EC2/u],
  ['/sys/hypervisor/uuid', /^ec2/iu],
] as const;

/** Whether this machine is an EC2 instance with Linux. Elsewhere it takes seconds until the metadata service, which has the credentials of its role, does not answer. */
const isEc2Instance = (): boolean =>
  EC2_MARKS.some(([file, pattern]) => {
    try {
      return pattern.test(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
  });

export const noAwsAccount: Check = skip(
  'AWS',
  'this machine has no credentials for it. They are only needed to deploy.',
);

/**
 * Loads the credentials and the region as the AWS CLI does. Resolves with undefined if the machine has no credentials, and with a check if they or the region
 * cannot be read. Only on EC2 it asks the metadata service of the instance.
 */
export async function loadAwsAccount(
  env: Variables,
  isOnEc2: () => boolean = isEc2Instance,
): Promise<AwsAccount | Check | undefined> {
  const isConfigured = hasAwsCredentials(env);
  // The SDK reads this variable too.
  const isMetadataOff = (env['AWS_EC2_METADATA_DISABLED'] ?? 'false') !== 'false';
  if (!isConfigured && (isMetadataOff || !isOnEc2())) return undefined;
  // Loaded only here: the other commands do not need it.
  const { DynamoDB } = await import('@aws-sdk/client-dynamodb');
  // The AWS CLI and the CDK read both variables before their files, the SDK only the first one.
  const chosen = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const { config } = new DynamoDB(chosen ? { region: chosen } : {});
  const [credentials, region] = await Promise.allSettled([config.credentials(), config.region()]);
  if (credentials.status === 'fulfilled' && region.status === 'fulfilled')
    return { credentials: credentials.value, region: region.value, endpoint: env['AWS_ENDPOINT_URL'] };
  // An instance without a role.
  if (!isConfigured && credentials.status === 'rejected') return undefined;
  return explainLoadFailure(
    {
      credentials: credentials.status === 'rejected' ? credentials.reason : undefined,
      region: region.status === 'rejected' ? region.reason : undefined,
    },
    env,
  );
}

/** Says why the account could not be loaded, from the errors of the AWS SDK. Its messages contain no credentials, but are not shown: they name its own methods. */
export function explainLoadFailure(
  errors: { readonly credentials: unknown; readonly region: unknown },
  { AWS_PROFILE: profile }: Variables,
): Check {
  const name = 'AWS credentials';
  if (errors.region instanceof Error && INVALID_REGION.test(errors.region.message))
    return warn(
      name,
      'were not used: what is set as the region is not one.',
      'Set AWS_REGION to the region of the deployment, such as eu-central-1.',
    );
  if (errors.credentials === undefined)
    return warn(
      name,
      'were not used: no region is set.',
      'Set AWS_REGION to the region of the deployment, or run "aws configure".',
    );
  const message = errors.credentials instanceof Error ? errors.credentials.message : '';
  const option = profile ? ` --profile ${profile}` : '';
  const login = LOGINS.find(([pattern]) => pattern.test(message))?.[1];
  if (login !== undefined)
    return warn(
      name,
      'could not be loaded: the session has expired, or never began.',
      `Run "${login}${option}", then this again.`,
    );
  return profile ? explainProfile(name, profile, message) : explainMissing(name, message);
}

/** What the AWS SDK says of a region that cannot be part of the name of a host (`@smithy/core`, `checkRegion`). */
const INVALID_REGION = /Region not accepted/u;

/** By what the AWS SDK says of a session that must be started again (`@aws-sdk/credential-provider-sso` and `-login`). */
const LOGINS: readonly (readonly [RegExp, string])[] = [
  [/aws sso login/iu, 'aws sso login'],
  [/aws login|re-?authenticate|login\/cache/iu, 'aws login'],
];
/** Nothing gave credentials. The AWS SDK says the same of a profile that does not exist, and of one whose `credential_process` fails. */
const NONE = /Could not (?:resolve credentials using profile|load credentials from any)/u;

function explainProfile(name: string, profile: string, message: string): Check {
  const why = `"aws sts get-caller-identity --profile ${profile}" tells why`;
  if (/multi-factor/iu.test(message))
    return warn(
      name,
      `could not be loaded: the profile ${profile} needs a code of an MFA device, for which Parley does not ask.`,
      'Set the variables that "aws sts get-session-token" or "aws sts assume-role" returns for a code, in place of AWS_PROFILE.',
    );
  if (NONE.test(message))
    return warn(
      name,
      `could not be loaded: the profile ${profile} does not exist, or gave none.`,
      `"aws configure list-profiles" lists the profiles: set AWS_PROFILE to one of them. If it exists, ${why}.`,
    );
  return warn(name, `could not be loaded with the profile ${profile}.`, `${why}.`);
}

function explainMissing(name: string, message: string): Check {
  if (message !== '' && !NONE.test(message))
    return warn(name, 'could not be loaded.', '"aws sts get-caller-identity" tells why.');
  return warn(
    name,
    'could not be loaded: there are none.',
    'Run "aws configure" or "aws sso login", or set AWS_PROFILE and AWS_REGION.',
  );
}
