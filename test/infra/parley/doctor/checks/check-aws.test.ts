import { afterEach, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { createProbe, type Variables } from '../../../../../infra/configuration/index.ts';
import { listen } from '../../../../../infra/local/listen.ts';
import {
  explainLoadFailure,
  hasAwsCredentials,
  loadAwsAccount,
} from '../../../../../infra/parley/aws/account.ts';
import { diagnoseStage } from '../../../../../infra/parley/doctor/diagnose.ts';
import { checkAws } from '../../../../../infra/parley/doctor/checks/check-aws.ts';
import {
  CREDENTIALS,
  type FakeAwsOptions,
  NO_AWS,
  REGION,
  startFakeAws,
  withVariables,
  FAKE_ACCOUNT,
} from '../../fake-aws.ts';
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
  // With two for dead letters eight of ten: events need the others.
  expect(concurrency?.fix).toContain(
    '-c workerConcurrency=2 -c recordingConcurrency=2 -c largeConcurrency=2',
  );
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
  expect(hasAwsCredentials(NO_AWS)).toBe(false);
  expect(hasAwsCredentials({ ...NO_AWS, AWS_PROFILE: 'work' })).toBe(true);
  // AWS CloudShell, and containers.
  for (const name of ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'])
    expect(hasAwsCredentials({ ...NO_AWS, [name]: 'x' })).toBe(true);
  expect(hasAwsCredentials({ ...NO_AWS, AWS_CONFIG_FILE: import.meta.filename })).toBe(true);
});

/** The metadata service of an EC2 instance, with the credentials of its role, or without a role. Resolves with its address. */
async function startMetadataService(hasRole: boolean): Promise<string> {
  const answers: Readonly<Record<string, string>> = {
    'PUT /latest/api/token': 'a-token',
    ...(hasRole && {
      'GET /latest/meta-data/iam/security-credentials/': 'operators',
      'GET /latest/meta-data/iam/security-credentials/operators': JSON.stringify({
        AccessKeyId: CREDENTIALS.accessKeyId,
        SecretAccessKey: CREDENTIALS.secretAccessKey,
        Token: 'of-the-role',
        Expiration: '2100-01-01T00:00:00Z',
      }),
    }),
  };
  const server = createServer(({ method, url }, response) => {
    const answer = answers[`${method} ${url}`];
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  closing.push(() => void server.close());
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}

const loadOnEc2 = async (hasRole: boolean, changes: Variables = {}) => {
  const variables = {
    ...NO_AWS,
    AWS_EC2_METADATA_DISABLED: undefined,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: await startMetadataService(hasRole),
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: undefined,
    ...changes,
  };
  return withVariables(variables, () => loadAwsAccount(variables, () => true));
};

test('the role of an EC2 instance counts as credentials', async () => {
  expect(await loadOnEc2(true)).toMatchObject({
    credentials: { ...CREDENTIALS, sessionToken: 'of-the-role' },
    region: REGION,
  });
});

test('an EC2 instance without a role, or whose metadata are switched off, has none', async () => {
  expect(await loadOnEc2(false)).toBeUndefined();
  expect(await loadOnEc2(true, { AWS_EC2_METADATA_DISABLED: 'true' })).toBeUndefined();
});

test('AWS_DEFAULT_REGION is the region where AWS_REGION is not set, as for the AWS CLI and the CDK', async () => {
  for (const [AWS_REGION, region] of [
    [undefined, 'us-west-2'],
    ['', 'us-west-2'],
    [REGION, REGION],
  ])
    expect(await loadOnEc2(true, { AWS_REGION, AWS_DEFAULT_REGION: 'us-west-2' })).toMatchObject({ region });
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
  const environment = { ...NO_AWS, AWS_PROFILE: 'wrok' };
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
  const checks = await withVariables(environment, () => diagnoseStage(input, 'Parley'));
  expect(getProblems(checks)).toEqual(['fail AWS credentials']);
});

test('the doctor checks AWS where there are credentials', async () => {
  const environment = { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: await startAws({ stsError: 'ExpiredToken' }) };
  const checks = await withVariables(FAKE_ACCOUNT, () => diagnoseVariables({}, { environment }));
  expect(getProblems(checks)).toEqual(['fail AWS credentials']);
});
