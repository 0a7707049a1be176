import { afterEach, expect, test } from '@jest/globals';
import { createProbe } from '../../../../../infra/configuration/index.ts';
import { explainLoadFailure, hasAwsCredentials } from '../../../../../infra/parley/aws/account.ts';
import { diagnoseStage } from '../../../../../infra/parley/doctor/diagnose.ts';
import { checkAws } from '../../../../../infra/parley/doctor/checks/check-aws.ts';
import { CREDENTIALS, type FakeAwsOptions, REGION, startFakeAws } from '../../fake-aws.ts';
import { diagnoseVariables, getProblems } from '../world.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function startAws(options: FakeAwsOptions = {}): Promise<string> {
  const { url, close } = await startFakeAws(options);
  closing.push(close);
  return url;
}

const check = async (options: FakeAwsOptions = {}, credentials = CREDENTIALS) =>
  checkAws({ credentials, region: REGION, endpoint: await startAws(options) }, createProbe(3_000));

test('valid credentials of an account with enough concurrency pass', async () => {
  expect(await check()).toEqual([
    { name: 'AWS credentials', result: 'pass', finding: 'are valid for the account 123456789012.' },
    { name: 'AWS Lambda concurrency', result: 'pass', finding: 'in eu-central-1 is 1000.' },
  ]);
});

test('the small quota of a new account warns with the command that raises it', async () => {
  const [, concurrency] = await check({ concurrency: 10 });
  expect(concurrency).toMatchObject({
    result: 'warn',
    finding: expect.stringContaining('is 10, as in new accounts'),
    fix: expect.stringContaining('--region eu-central-1 --service-code lambda --quota-code L-B99A9384'),
  });
});

test.each([
  ['ExpiredToken', /aws sso login/],
  ['InvalidClientTokenId', /does not know the access key/],
  ['AccessDenied', /sts:GetCallerIdentity/],
  ['Unknown', /aws sts get-caller-identity/],
])('credentials that AWS rejects with %s fail with the fix', async (code, fix) => {
  expect(await check({ stsError: code })).toEqual([
    {
      name: 'AWS credentials',
      result: 'fail',
      finding: `are rejected by AWS (${code}).`,
      fix: expect.stringMatching(fix),
    },
  ]);
});

test('a wrong secret access key fails', async () => {
  const [credentials] = await check({}, { ...CREDENTIALS, secretAccessKey: 'another' });
  expect(credentials?.finding).toContain('SignatureDoesNotMatch');
});

test('an unreachable AWS warns', async () => {
  const endpoint = 'http://127.0.0.1:1';
  const checks = await checkAws({ credentials: CREDENTIALS, region: REGION, endpoint }, createProbe(3_000));
  expect(checks).toMatchObject([{ name: 'AWS credentials', result: 'warn' }]);
});

test('credentials are looked for in variables and files, and not in the network', () => {
  const none = { AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
  expect(hasAwsCredentials(none)).toBe(false);
  expect(hasAwsCredentials({ ...none, AWS_PROFILE: 'work' })).toBe(true);
  // AWS CloudShell, and containers.
  for (const name of ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'])
    expect(hasAwsCredentials({ ...none, [name]: 'x' })).toBe(true);
  expect(hasAwsCredentials({ ...none, AWS_CONFIG_FILE: import.meta.filename })).toBe(true);
});

const SSO =
  "The SSO session token associated with profile=work was not found or is invalid. To refresh this SSO session run 'aws sso login' with the corresponding profile.";
const NONE = new Error('Could not load credentials from any providers');
const NO_REGION = new Error('Region is missing');

test.each([
  [
    'an expired session',
    new Error(SSO),
    undefined,
    'work',
    'has expired',
    'Run "aws sso login --profile work"',
  ],
  ['a session without a profile', new Error(SSO), undefined, undefined, 'has expired', 'Run "aws sso login"'],
  [
    'a misspelled profile',
    NONE,
    NO_REGION,
    'wrok',
    'the profile wrok does not exist',
    'aws configure list-profiles',
  ],
  [
    'a profile that does not exist',
    new Error('Could not resolve credentials using profile: [wrok] in configuration/credentials file(s).'),
    undefined,
    'wrok',
    'the profile wrok does not exist',
    'aws configure list-profiles',
  ],
  [
    'a profile whose command gives no credentials',
    NONE,
    undefined,
    'work',
    'or gave none',
    'aws sts get-caller-identity --profile work',
  ],
  ...[
    'Your session has expired. Please reauthenticate.',
    'Failed to refresh token: 400. Please re-authenticate using aws login',
    'Failed to load token from ~/.aws/login/cache/4ef3.json: Error: ENOENT',
  ].map(
    (message) =>
      [
        message,
        new Error(message),
        undefined,
        'work',
        'has expired',
        'Run "aws login --profile work"',
      ] as const,
  ),
  [
    'a profile that needs MFA',
    new Error('Profile work requires multi-factor authentication, but no MFA code callback was provided.'),
    undefined,
    'work',
    'the profile work needs a code of an MFA device',
    'aws sts get-session-token',
  ],
  [
    'a role that may not be assumed',
    new Error('User: arn:aws:iam::123456789012:user/x is not authorized to perform: sts:AssumeRole'),
    undefined,
    'work',
    'could not be loaded with the profile work.',
    '"aws sts get-caller-identity --profile work" tells why',
  ],
  ['no credentials', NONE, NO_REGION, undefined, 'there are none', 'aws configure'],
  [
    'a malformed region',
    undefined,
    new Error('Region not accepted: region="eu west" is not a valid hostname component.'),
    'work',
    'is not one',
    'such as eu-central-1',
  ],
  ['no region', undefined, NO_REGION, 'work', 'no region is set', 'AWS_REGION'],
])('an account with %s says what to do', (_, credentials, region, AWS_PROFILE, finding, fix) => {
  expect(explainLoadFailure({ credentials, region }, { AWS_PROFILE })).toMatchObject({
    result: 'warn',
    finding: expect.stringContaining(finding),
    fix: expect.stringContaining(fix),
  });
});

test('a deployment that cannot be checked for lack of credentials is a failure', async () => {
  const names = [
    'AWS_PROFILE',
    'AWS_CONFIG_FILE',
    'AWS_SHARED_CREDENTIALS_FILE',
    'AWS_EC2_METADATA_DISABLED',
  ];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const environment = {
    AWS_PROFILE: 'wrok',
    AWS_CONFIG_FILE: '/nowhere',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  try {
    Object.assign(process.env, environment);
    const input = {
      nodeVersion: '24.21.0',
      envFile: { text: '', path: '.env', exists: false, mode: undefined },
      environment,
      engineLog: '',
      slackChannel: undefined,
      discordChannel: undefined,
      shouldAskModel: false,
      now: () => 0,
      createProbe,
    };
    expect(getProblems(await diagnoseStage(input, 'Parley'))).toEqual(['fail AWS credentials']);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test('the doctor checks AWS where there are credentials', async () => {
  const names = [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
    'AWS_CONFIG_FILE',
    'AWS_SHARED_CREDENTIALS_FILE',
  ];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  // The client of AWS reads the environment of the process.
  const environment = {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_CONFIG_FILE: '/nowhere',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    AWS_ENDPOINT_URL: await startAws({ stsError: 'ExpiredToken' }),
  };
  try {
    Object.assign(process.env, environment, { AWS_ENDPOINT_URL: undefined });
    delete process.env['AWS_ENDPOINT_URL'];
    expect(getProblems(await diagnoseVariables({}, { environment }))).toEqual(['fail AWS credentials']);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
