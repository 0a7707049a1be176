import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildTemplate } from '../../infra/local/template/build.ts';
import {
  readApiConfig,
  readCallbackConfig,
  readDeadLettersConfig,
  readSlackOAuthConfig,
  readSweeperConfig,
  readTranscriberConfig,
  readWorkerConfig,
} from '../../shared/runtime/config/config.ts';
import {
  readDiscordEventsConfig,
  readDiscordFrontConfig,
  readSlackFrontConfig,
} from '../../shared/runtime/config/front-config.ts';
import { ENV, OPEN_INDEX, PERSON_INDEX, TASKS } from '../../shared/runtime/shared-names.ts';
import { TemplateView } from './template.ts';

const FUNCTIONS = [
  'SlackEvents',
  'SlackOAuthPages',
  'ToolSignIn',
  'ToolClient',
  'DiscordInteractions',
  'DiscordEvents',
  'VideoCallback',
  'IntegrationApi',
  'Worker',
  'LargeWorker',
  'Transcriber',
  'DeadLetters',
  'Sweeper',
];
const CONSUME = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];
const ALL_BUT_SCAN = ['DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
  (one) => `dynamodb:${one}`,
);
const WRITE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];
/** By name: the workers have no variable for it. */
const TOOL_CLIENT = 'arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId:function:Parley-dev-tool-client';
/** Not permissions. */
const PUBLIC_URLS = new Set(['Api', 'IntegrationApiFunctionFunctionUrl']);
const READ_SECRET = ['secretsmanager:GetSecretValue'];

let dev: TemplateView;

beforeAll(async () => {
  dev = new TemplateView((await buildTemplate()).template);
});

describe('least privilege', () => {
  test('the Slack front reads its signing secret and, for modals, the bot token, and never the key of the upstream', () => {
    expect(dev.rights('SlackEvents')).toEqual({
      SlackEventsLogs: WRITE_LOG,
      SlackSigning: READ_SECRET,
      // A modal must open within 3 s of a click, so no queue is involved.
      SlackBot: READ_SECRET,
      Seal: ['kms:Decrypt'],
      Conversations: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      // To stop a waiting question at once.
      Tasks: ['sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
      Recordings: ['sqs:SendMessage'],
    });
  });

  test('the install pages add an installation, and read none', () => {
    expect(dev.rights('SlackOAuthPages')).toEqual({
      SlackOAuthPagesLogs: WRITE_LOG,
      SlackOAuth: READ_SECRET,
      Seal: ['kms:Encrypt'],
      Conversations: ['dynamodb:PutItem'],
    });
  });

  test('functions that are open to the internet encrypt and decrypt tokens of installations only, no workspace key', () => {
    const condition = { StringLike: { 'kms:EncryptionContext:about': 'slack-install#*' } };
    for (const name of ['SlackEvents', 'SlackOAuthPages'])
      expect(dev.conditions(name, 'kms:')).toEqual([condition]);
    expect(dev.conditions('Worker', 'kms:')).toEqual([undefined]);
  });

  test('the worker has exactly the permissions that it needs', () => {
    expect(dev.rights('Worker')).toEqual({
      [TOOL_CLIENT]: ['lambda:InvokeFunction'],
      WorkerLogs: WRITE_LOG,
      SlackBot: READ_SECRET,
      DiscordBot: READ_SECRET,
      SlackOAuth: READ_SECRET,
      Seal: ['kms:Decrypt', 'kms:Encrypt'],
      Upstream: READ_SECRET,
      // Without it, S3 responds 403 for a missing object.
      Media: ['s3:ListBucket'],
      'Media/inputs/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      'Media/results/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      Conversations: [
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:Scan',
        'dynamodb:UpdateItem',
      ],
      [`Conversations/index/${PERSON_INDEX.name}`]: ['dynamodb:Query'],
      Tokens: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Tasks: [...CONSUME, 'sqs:SendMessage'],
      TasksAlone: ['sqs:SendMessage'],
      TasksDead: ['sqs:SendMessage'],
      Recordings: ['sqs:SendMessage'],
    });
  });

  test('the large worker has the permissions of the worker, and receives only the tasks that it is pointed to', () => {
    const { WorkerLogs: _, ...worker } = dev.rights('Worker');
    expect(dev.rights('LargeWorker')).toEqual({
      ...worker,
      LargeWorkerLogs: WRITE_LOG,
      Tasks: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:SendMessage'],
      TasksAlone: CONSUME,
    });
  });

  test('the Discord front has no secret, and may not query the table', () => {
    expect(dev.rights('DiscordInteractions')).toEqual({
      DiscordInteractionsLogs: WRITE_LOG,
      Conversations: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      // To stop a waiting question at once.
      Tasks: ['sqs:ChangeMessageVisibility', 'sqs:SendMessage'],
    });
  });

  test('the function for the removal of the app may queue a task, and nothing else', () => {
    expect(dev.rights('DiscordEvents')).toEqual({
      DiscordEventsLogs: WRITE_LOG,
      Tasks: ['sqs:SendMessage'],
    });
  });

  test.each([
    ['the video callback reads a job and queues a check of it', 'VideoCallback'],
    ['the page after a sign-in reads that it has begun and queues its end', 'ToolSignIn'],
  ])('%s, and has no access to keys', (_, name) => {
    expect(dev.rights(name)).toEqual({
      [`${name}Logs`]: WRITE_LOG,
      Conversations: ['dynamodb:GetItem'],
      Tasks: ['sqs:SendMessage'],
    });
  });

  test('the API for integrations uses the tables and queues tasks, and has no access to keys, tokens and files', () => {
    expect(dev.rights('IntegrationApi')).toEqual({
      IntegrationApiLogs: WRITE_LOG,
      Conversations: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      Tokens: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Tasks: ['sqs:SendMessage'],
    });
  });

  test('the function that talks to MCP servers writes its log, and can reach nothing else', () => {
    expect(dev.rights('ToolClient')).toEqual({ ToolClientLogs: WRITE_LOG });
  });

  test('the transcriber has exactly the permissions that it needs', () => {
    expect(dev.rights('Transcriber')).toEqual({
      TranscriberLogs: WRITE_LOG,
      SlackBot: READ_SECRET,
      DiscordBot: READ_SECRET,
      SlackOAuth: READ_SECRET,
      Seal: ['kms:Decrypt', 'kms:Encrypt'],
      Upstream: READ_SECRET,
      Conversations: ALL_BUT_SCAN,
      Tokens: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      Recordings: [...CONSUME, 'sqs:SendMessage'].toSorted(),
      Tasks: ['sqs:SendMessage'],
      TasksDead: ['sqs:SendMessage'],
    });
  });

  test('the dead-letter function has exactly the permissions that it needs', () => {
    expect(dev.rights('DeadLetters')).toEqual({
      DeadLettersLogs: WRITE_LOG,
      SlackBot: READ_SECRET,
      DiscordBot: READ_SECRET,
      SlackOAuth: READ_SECRET,
      Seal: ['kms:Decrypt', 'kms:Encrypt'],
      Conversations: ALL_BUT_SCAN,
      TasksDead: CONSUME,
      Tasks: ['sqs:SendMessage'],
    });
  });

  test('the sweeper and its schedule have exactly the permissions that they need', () => {
    expect(dev.rights('Sweeper')).toEqual({
      SweeperLogs: WRITE_LOG,
      Conversations: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
      [`Conversations/index/${OPEN_INDEX.name}`]: ['dynamodb:Query'],
      [`Conversations/index/${PERSON_INDEX.name}`]: ['dynamodb:Query'],
      Tasks: ['sqs:SendMessage'],
      Recordings: ['sqs:SendMessage'],
    });
    expect(dev.rights('Sweep')).toEqual({ SweeperFunction: ['lambda:InvokeFunction'] });
  });

  test('no role has a managed policy, and no permission has a wildcard', () => {
    for (const { Properties } of dev.all('AWS::IAM::Role')) {
      expect(Object.keys(Properties)).toEqual(['AssumeRolePolicyDocument']);
    }
    const roles = dev.all('AWS::IAM::Role').map(({ id }) => id.replace(/Role[0-9A-F]{8}$/, ''));
    expect(roles.toSorted()).toEqual(
      [...FUNCTIONS, 'Sweep', 'DiscordGateway', 'DiscordGatewayExecution'].toSorted(),
    );
    // Objects are named after jobs, so the permission is for a prefix.
    const allowedMedia = /Media\/(?:inputs|results)\/\*/gu;
    for (const role of roles)
      expect(JSON.stringify(dev.rights(role)).replaceAll(allowedMedia, '')).not.toContain('*');
  });

  test.each(FUNCTIONS)(
    '%s has environment variables for all its permissions, and permissions for all of them',
    (name) => {
      const targets = Object.values(dev.env(name)).filter((value) => /^[A-Z][a-z]/.test(value));
      const resources = targets.filter((value) => !(value in dev.parameters));
      const allowed = Object.keys(dev.rights(name)).map((on) => on.split('/')[0]);
      // Lambda itself receives the dead letters and writes the log: the function does not need their names.
      const untold = new Set([`${name}Logs`, TOOL_CLIENT, ...(name === 'DeadLetters' ? ['TasksDead'] : [])]);
      expect(new Set(resources.filter((one) => !PUBLIC_URLS.has(one)))).toEqual(
        new Set(allowed.filter((on) => on && !untold.has(on))),
      );
    },
  );
});

test('every variable is used by a function, and every parameter by a variable', () => {
  const { AWS_REGION: _, NODE_OPTIONS: __, ...relay } = dev.taskEnv('DiscordGatewayTask');
  const envs = [...FUNCTIONS.map((name) => dev.env(name)), relay];
  // The canary, the long-running worker and tracing are tested in chosen.test.ts.
  const { canaryChannel: ___, canaryPerson: ____, drainSeconds: _____, tracing: ______, ...variables } = ENV;
  expect(new Set(envs.flatMap((env) => Object.keys(env)))).toEqual(
    new Set([...Object.values(variables), ...Object.keys(TASKS.workerVariables)]),
  );
  const values = new Set(envs.flatMap((env) => Object.values(env)));
  const parameters = Object.keys(dev.parameters).filter((name) => name !== 'BootstrapVersion');
  expect(parameters.filter((name) => !values.has(name))).toEqual([]);
});

test.each([
  ['SlackEvents', readSlackFrontConfig],
  ['SlackOAuthPages', readSlackOAuthConfig],
  ['DiscordInteractions', readDiscordFrontConfig],
  ['ToolSignIn', readCallbackConfig],
  ['VideoCallback', readCallbackConfig],
  ['IntegrationApi', readApiConfig],
  ['Worker', readWorkerConfig],
  ['LargeWorker', readWorkerConfig],
  ['DeadLetters', readDeadLettersConfig],
  ['Transcriber', readTranscriberConfig],
  ['Sweeper', readSweeperConfig],
])('%s has every environment variable that it reads', (name, read) => {
  expect(read(envOf(name)).conversationsTable).toBe('https://Conversations');
});

test('every function that calls models has their limits, the time zone and the stand-in models', () => {
  const names = ['SPEECH_LIMIT', 'VIDEO_LIMIT', 'TIME_ZONE', 'STAND_IN_MODELS'];
  for (const name of ['Worker', 'LargeWorker', 'Transcriber'])
    expect(Object.keys(dev.env(name))).toEqual(expect.arrayContaining(names));
});

test('only the Transcriber has the path of ffmpeg, which is empty by default', () => {
  const names = ['Transcriber', 'Worker', 'SlackEvents'].filter((name) => 'FFMPEG_PATH' in dev.env(name));
  expect(names).toEqual(['Transcriber']);
  const env = envOf('Transcriber');
  expect(readTranscriberConfig(env).ffmpegPath).toBeUndefined();
  expect(readTranscriberConfig({ ...env, FFMPEG_PATH: '/bin/ffmpeg' }).ffmpegPath).toBe('/bin/ffmpeg');
});

test('DiscordEvents has every environment variable that it reads', () => {
  expect(readDiscordEventsConfig(envOf('DiscordEvents')).taskQueueUrl).toBe('https://Tasks');
});

function envOf(name: string): Record<string, string> {
  const env: Record<string, string> = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
  };
  for (const [variable, value] of Object.entries(dev.env(name))) {
    const parameter = dev.parameters[value];
    env[variable] = parameter ? String(parameter.Default ?? 'https://example.org') : `https://${value}`;
  }
  return env;
}
