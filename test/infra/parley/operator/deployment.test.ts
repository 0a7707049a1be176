import { afterEach, expect, test } from '@jest/globals';
import { createProbe, type Probe, type ProbeResult } from '../../../../infra/configuration/index.ts';
import { readOutputs, readParameters } from '../../../../infra/parley/aws/deployment.ts';
import { readSecret } from '../../../../infra/parley/aws/secrets.ts';
import { findLogGap } from '../../../../infra/parley/operator/log-gap.ts';
import { createOperatorCall } from '../../../../infra/parley/operator/operator-call.ts';
import { openDeployment, openLocalSystem } from '../../../../infra/parley/operator/open-system.ts';
import { findDiscordParent, findSlackTeam } from '../../../../infra/parley/operator/turns.ts';
import { serve } from '../../configuration/serve.ts';
import { CREDENTIALS, type FakeAwsOptions, NO_AWS, REGION, startFakeAws } from '../fake-aws.ts';

const closing: (() => void)[] = [];
const GONE = { kind: 'unreachable', reason: 'the connection was broken off' } as const;
const PAGE = {
  kind: 'answered',
  status: 200,
  json: undefined,
  headers: new Headers(),
  html: true,
  receivedAt: 0,
} as const;
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function account(credentials = CREDENTIALS, parameters: Record<string, string> = { HistoryDays: '7' }) {
  const aws = await startFakeAws({
    stacks: { Parley: { TasksUrl: 'queue' } },
    parameters,
    secrets: new Map([['s', '{}']]),
  });
  closing.push(aws.close);
  return { credentials, region: REGION, endpoint: aws.url };
}

test('a stack has outputs and parameters', async () => {
  const of = await account();
  expect(await readOutputs(of, 'Parley', createProbe(5_000))).toEqual({ TasksUrl: 'queue' });
  expect(await readParameters(of, 'Parley', createProbe(5_000))).toEqual({ HistoryDays: '7' });
  await expect(readOutputs(of, 'Parley-x', createProbe(5_000))).rejects.toThrow('There is no stack Parley-x');
});

async function readFailing(aws: FakeAwsOptions): Promise<string> {
  const { url, close } = await startFakeAws(aws);
  closing.push(close);
  const of = { credentials: CREDENTIALS, region: REGION, endpoint: url };
  return readOutputs(of, 'Parley', createProbe(5_000)).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );
}

test.each([
  ['ExpiredToken', 'The credentials have expired: run "aws sso login"'],
  ['InvalidClientTokenId', `the region ${REGION} is not enabled in the account`],
  ['SignatureDoesNotMatch', 'the clock of this machine'],
  ['AccessDenied', 'The credentials lack the right cloudformation:DescribeStacks.'],
  ['Throttling', 'AWS is busy'],
  ['ProvisionedThroughputExceededException', 'AWS is busy'],
  ['ValidationError', `There is no stack Parley in ${REGION}.`],
])('a stack that cannot be read (%s) says what to do', async (stackError, fix) => {
  expect(await readFailing({ stackError })).toContain(fix);
});

test.each([
  ['CREATE_IN_PROGRESS', 'Wait until it ends'],
  ['REVIEW_IN_PROGRESS', 'was never deployed'],
  [
    'ROLLBACK_COMPLETE',
    'update-termination-protection --no-enable-termination-protection --stack-name Parley',
  ],
  ['ROLLBACK_FAILED', 'describe-stack-events'],
  ['DELETE_FAILED', 'delete it'],
  ['CREATE_COMPLETE', 'Deploy it again'],
])('a stack without outputs (%s) says what to do', async (stackStatus, fix) => {
  const message = await readFailing({ stackStatus, stacks: { Parley: {} } });
  expect(message).toContain(stackStatus);
  expect(message).toContain(fix);
});

const probePage: Probe = async () => PAGE;
const probeNoHost = async () => ({ kind: 'unreachable', reason: 'no host of this name is known' }) as const;

test('a misspelled region is named: its host does not exist', async () => {
  const of = { credentials: CREDENTIALS, region: 'us-esat-1' };
  await expect(readOutputs(of, 'Parley', probeNoHost)).rejects.toThrow('Is the region us-esat-1 right?');
});

test('the workspace and the channel of a thread are asked for at the addresses that the deployment uses', async () => {
  const platforms = await serve({
    'POST /slack/auth.test': { body: { ok: true, team_id: 'T1', user_id: 'U1', bot_id: 'B1', team: 'Acme' } },
    'GET /discord/v10/channels/401': { body: { thread_metadata: {}, parent_id: '301' } },
  });
  closing.push(platforms.close);
  const secrets = new Map([
    ['slack', JSON.stringify({ botToken: 'xoxb-1' })],
    ['discord', JSON.stringify({ botToken: 'a.b.c' })],
  ]);
  const parameters = {
    SlackApiUrl: `${platforms.url}/slack/`,
    DiscordApiUrl: `${platforms.url}/discord`,
  };
  const aws = await startFakeAws({ stacks: { Parley: {} }, parameters, secrets });
  closing.push(aws.close);
  const deployment = {
    kind: 'deployment' as const,
    name: 'prod',
    stack: 'Parley',
    outputs: { SlackBotSecret: 'slack', DiscordBotSecret: 'discord' },
    account: { credentials: CREDENTIALS, region: REGION, endpoint: aws.url },
    call: async () => undefined,
  };
  expect(await findSlackTeam(deployment)).toBe('T1');
  expect(await findDiscordParent(deployment, '401')).toBe('301');
});

test('a call says what AWS refuses, and what to do', async () => {
  const options = { unreachable: 'Nothing is there.' };
  const call = createOperatorCall(await account(), options);
  expect(await call('secretsmanager', 'secretsmanager.GetSecretValue', { SecretId: 's' })).toMatchObject({
    SecretString: '{}',
  });
  await expect(call('secretsmanager', 'secretsmanager.GetSecretValue', { SecretId: 'x' })).rejects.toThrow(
    'GetSecretValue failed (ResourceNotFoundException). It does not exist',
  );
  const wrong = createOperatorCall(await account({ ...CREDENTIALS, secretAccessKey: 'wrong' }), options);
  await expect(wrong('sqs', 'AmazonSQS.SendMessage', {})).rejects.toThrow('"npx parley doctor" checks them');
  const unreachable = createOperatorCall({ ...(await account()), endpoint: 'http://127.0.0.1:1' }, options);
  await expect(unreachable('sqs', 'AmazonSQS.SendMessage', {})).rejects.toThrow('Nothing is there.');
});

test.each([
  ['sqs', 'AmazonSQS.ChangeMessageVisibilityBatch', 'sqs:ChangeMessageVisibility'],
  ['dynamodb', 'DynamoDB_20120810.GetItem', 'dynamodb:GetItem'],
])('a call of %s that lacks a right names the action as IAM does', async (service, target, action) => {
  const refusal = {
    kind: 'answered',
    status: 400,
    json: { __type: 'AccessDeniedException' },
    headers: new Headers(),
    html: false,
    receivedAt: 0,
  } as const;
  const refuse = () => Promise.resolve(refusal);
  const call = createOperatorCall(await account(), { unreachable: '', createProbe: () => refuse });
  await expect(call(service, target, {})).rejects.toThrow(`The credentials lack the right ${action}.`);
});

test('a call without a response is sent again if it may be, and says that a network is missing', async () => {
  const urls: string[] = [];
  const replies: ProbeResult[] = [GONE, { ...PAGE, status: 200, html: false, json: { done: true } }];
  const probe: Probe = async (url) => {
    urls.push(url);
    return replies.shift() ?? GONE;
  };
  const options = {
    unreachable: 'Nothing is there.',
    isRepeatable: (operation: string) => operation === 'Scan',
    createProbe: () => probe,
  };
  const call = createOperatorCall(await account(), options);
  expect(await call('dynamodb', 'DynamoDB_20120810.Scan', {})).toEqual({ done: true });
  await expect(call('sqs', 'AmazonSQS.SendMessage', {})).rejects.toMatchObject({
    message: 'SendMessage failed (the connection was broken off). Nothing is there.',
    isTemporary: true,
  });
  expect(urls).toHaveLength(3);
  await expect(readOutputs(await account(), 'Parley', probe)).rejects.toThrow('is there a network?');
  await expect(readSecret(await account(), 's', probe)).rejects.toThrow('is there a network?');
});

test('a proxy or a login page that answers in place of AWS is no result', async () => {
  const call = createOperatorCall(await account(), { unreachable: '', createProbe: () => probePage });
  await expect(call('dynamodb', 'DynamoDB_20120810.Scan', {})).rejects.toThrow(
    'Scan failed (a web page, status 200). Something else answers in place of AWS',
  );
  await expect(readOutputs(await account(), 'Parley', probePage)).rejects.toThrow('in place of AWS');
});

test('without a running system, without credentials and with a malformed stage it says what to do', async () => {
  expect(() => openLocalSystem('/nowhere')).toThrow('Start it with "npm start"');
  await expect(openDeployment('no/stage', { env: {} })).rejects.toThrow('is no stage');
  await expect(openDeployment('prod', { env: NO_AWS })).rejects.toThrow('aws sso login');
});

async function system(parameters: Record<string, string>, stack = 'Parley') {
  const of = await account(CREDENTIALS, parameters);
  const call = createOperatorCall(of, { unreachable: '' });
  return { kind: 'deployment', name: 'Parley in r', outputs: {}, call, stack, account: of } as const;
}

test('a system that logs warnings only says so, and how to change it', async () => {
  expect(await findLogGap(await system({ LogLevel: 'warn' }))).toBe(
    'Parley in r logs only from the level warn on. Deploy it again with --parameters LogLevel=info.',
  );
  expect(await findLogGap(await system({ LogLevel: 'debug' }))).toBeUndefined();
  expect(await findLogGap(await system({ LogLevel: 'warn' }, 'Parley-x'))).toBeUndefined();
  const { call, outputs } = await system({});
  const local = {
    kind: 'local',
    name: 'here',
    outputs,
    call,
    data: '.',
    api: '',
    slackTeam: undefined,
    timeZone: undefined,
  } as const;
  expect(await findLogGap({ ...local, logLevel: 'error' })).toContain('LOG_LEVEL=info in .env');
  expect(await findLogGap({ ...local, logLevel: undefined })).toBeUndefined();
});
