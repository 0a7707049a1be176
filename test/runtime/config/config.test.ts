import { describe, expect, test } from '@jest/globals';
import {
  readSweeperConfig,
  readWorkerConfig,
  InvalidConfigError,
} from '../../../shared/runtime/config/config.ts';
import { readDiscordFrontConfig, readSlackFrontConfig } from '../../../shared/runtime/config/front-config.ts';

const aws = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hush-hush' };
const front = {
  ...aws,
  CONVERSATIONS_TABLE: 'c',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/q.fifo',
  VOICE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/v.fifo',
  SLACK_SIGNING_SECRET_ID: 'arn:signing',
  SLACK_BOT_SECRET_ID: 'arn:bot',
  SEAL_KEY_ID: 'arn:seal',
};
const worker = {
  ...front,
  DEAD_QUEUE: 'd.fifo',
  ALONE_QUEUE: 'a.fifo',
  MEDIA_BUCKET: 'm',
  PUBLIC_URL: 'https://bot.example',
  TOKENS_TABLE: 't',
  SLACK_OAUTH_SECRET_ID: 'arn:oauth',
  DISCORD_BOT_SECRET_ID: 'arn:discord',
  UPSTREAM_SECRET_ID: 'arn:upstream',
  UPSTREAM_BASE_URL: 'http://127.0.0.1:8080',
  UPSTREAM_MODEL: 'm',
  SYSTEM_PROMPT: 'You are Parley.',
};
const thrown = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.message;
  }
  return 'no error of configuration';
};

describe('the configuration', () => {
  test('of the front has defaults for optional variables', () => {
    expect(readSlackFrontConfig(front)).toMatchObject({
      logLevel: 'info',
      conversationsTable: 'c',
      days: 30,
      allowedBots: new Set(),
      slackApiUrl: 'https://slack.com/api/',
      aws: { region: 'eu-central-1', credentials: { accessKeyId: 'id' }, endpoints: {} },
    });
  });

  test('of the front reads all variables', () => {
    const config = readSlackFrontConfig({
      ...front,
      SLACK_ALLOWED_BOTS: 'B01, U02,,A03 ',
      SLACK_BOT_USER_ID: 'U99',
      SLACK_API_URL: 'http://127.0.0.1:9/api',
      HISTORY_DAYS: '7',
      LOG_LEVEL: 'debug',
      AWS_SESSION_TOKEN: 's',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:2',
    });
    expect(config).toMatchObject({
      logLevel: 'debug',
      allowedBots: new Set(['B01', 'U02', 'A03']),
      botUserId: 'U99',
      days: 7,
      slackApiUrl: 'http://127.0.0.1:9/api/',
      aws: {
        credentials: { sessionToken: 's' },
        endpoints: {
          sqs: 'http://127.0.0.1:2',
          dynamodb: 'http://127.0.0.1:1',
          secretsmanager: 'http://127.0.0.1:1',
        },
      },
    });
  });

  test.each([
    ['Slack', readSlackFrontConfig, ['SLACK_SIGNING_SECRET_ID', 'VOICE_QUEUE_URL']],
    ['Discord', readDiscordFrontConfig, ['TASK_QUEUE_URL']],
  ])(
    'an incomplete configuration of the front of %s is reported with every name and no value',
    (_, read, names) => {
      const incomplete = () => read({ AWS_REGION: 'hush', AWS_SECRET_ACCESS_KEY: 'hush' });
      for (const name of ['AWS_ACCESS_KEY_ID', 'CONVERSATIONS_TABLE', ...names])
        expect(incomplete).toThrow(name);
      expect(incomplete).not.toThrow('hush');
    },
  );

  test('of the worker adds a slash to Slack URLs and treats an empty variable as missing', () => {
    expect(readWorkerConfig({ ...worker, UPSTREAM_VISION_URL: '' }).slackApiUrl).toBe(
      'https://slack.com/api/',
    );
    const config = readWorkerConfig({
      ...worker,
      SLACK_API_URL: 'http://127.0.0.1:9/api',
      UPSTREAM_VISION_URL: '',
    });
    expect(config.slackApiUrl).toBe('http://127.0.0.1:9/api/');
    expect(config.upstreamVisionUrl).toBeUndefined();
  });

  test('accepts known operations of models only, and enables operations of the vision service', () => {
    const { videoModels } = readWorkerConfig({
      ...worker,
      VIDEO_MODELS:
        'edit=painter models=/v2/models,clips=/v1/clips chat:model-v=/v2/chat links=https://jobs.example.com:8443',
    });
    expect(videoModels).toMatchObject({
      models: [{ name: 'painter', operation: 'edit' }],
      operations: {
        paths: { models: '/v2/models', clips: '/v1/clips' },
        listsModels: true,
        listsRequests: false,
        library: ['clips'],
        linkOrigins: ['https://jobs.example.com:8443'],
        chat: { model: 'model-v', path: '/v2/chat' },
      },
    });
    for (const wrong of [
      'paint=painter',
      'models/',
      'unknown=/x',
      'clips=x/y',
      'chat:=/x',
      'links=/x',
      'links=ftp://a.example.com',
      'links=http://a.example.com',
      'links=http://localhost.example.com',
      'links=https://a.example.com/v2',
      'links=https://key:word@a.example.com',
      'links=https://a.example.com:99999',
    ])
      expect(() => readWorkerConfig({ ...worker, VIDEO_MODELS: wrong })).toThrow(/VIDEO_MODELS/u);
  });

  test('that is incomplete throws one error with all names and no values', () => {
    const message = thrown(() =>
      readWorkerConfig({
        AWS_SECRET_ACCESS_KEY: 'hush-hush',
        UPSTREAM_BASE_URL: 'ftp://hush',
        HISTORY_DAYS: '0',
      }),
    );
    for (const name of Object.keys(worker)) {
      if (name === 'SLACK_SIGNING_SECRET_ID' || name === 'AWS_SECRET_ACCESS_KEY') continue;
      expect(message).toContain(name);
    }
    expect(message).toContain(
      'HISTORY_DAYS is invalid: must be a whole number from 1 to 3650 (a parameter of the deployment, or in .env)',
    );
    expect(message).toContain('UPSTREAM_BASE_URL is invalid: must be an http or https address');
    expect(message).toContain('TOKENS_TABLE is missing (set by the deployment; see infra/cdk/stack.ts)');
    expect(message).toContain('UPSTREAM_MODEL is missing (a parameter of the deployment, or in .env)');
    for (const name of [
      'DEAD_QUEUE',
      'ALONE_QUEUE',
      'TASK_QUEUE_URL',
      'MEDIA_BUCKET',
      'PUBLIC_URL',
      'SEAL_KEY_ID',
    ])
      expect(message).toContain(`${name} is missing (set by the deployment; see infra/cdk/stack.ts)`);
    expect(message).not.toContain('hush');
  });

  test.each([
    ['HISTORY_DAYS', 'a month', 'a whole number from 1 to 3650'],
    ['HISTORY_DAYS', '1.5', 'a whole number from 1 to 3650'],
    ['FIRST_TOKEN_SECONDS', '401', 'a whole number from 1 to 400'],
    ['LOG_LEVEL', 'loud', 'one of debug, info, warn, error'],
    ['UPSTREAM_BASE_URL', 'https:models.example', 'an http or https address'],
  ])('%s=%j is reported once with the expected format', (name, value, expected) => {
    const message = thrown(() => readWorkerConfig({ ...worker, [name]: value }));
    expect(message).toContain(`${name} is invalid: must be ${expected}`);
    expect(message.split(name)).toHaveLength(2);
  });

  test('of the worker trims URLs', () => {
    const config = readWorkerConfig({ ...worker, SLACK_API_URL: ' https://slack.example/api/\n' });
    expect(config.slackApiUrl).toBe('https://slack.example/api/');
  });

  test('requires only what a function needs', () => {
    expect(
      readSweeperConfig({
        ...aws,
        CONVERSATIONS_TABLE: 'c',
        TASK_QUEUE_URL: front.TASK_QUEUE_URL,
        VOICE_QUEUE_URL: front.VOICE_QUEUE_URL,
      }),
    ).toMatchObject({
      conversationsTable: 'c',
    });
    expect(thrown(() => readSweeperConfig({}))).not.toContain('SLACK');
  });
});

const readSearch = (value: string) => readWorkerConfig({ ...worker, SEARCH: value }).search;

describe('SEARCH', () => {
  test.each([
    ['brave', { service: 'brave', baseUrl: undefined, atto: 0n, limit: { perMinute: 60, burst: 5 } }],
    [' tavily  $0.008 ', { service: 'tavily', atto: 8n * 10n ** 15n }],
    [
      'brave 20/3 $1 https://proxy.example.com/x',
      { baseUrl: 'https://proxy.example.com/x', limit: { perMinute: 20, burst: 3 }, atto: 10n ** 18n },
    ],
    ['searxng http://10.0.0.4:8080', { service: 'searxng', baseUrl: 'http://10.0.0.4:8080' }],
  ])('%j is a web search', (value, expected) => {
    expect(readSearch(value)).toMatchObject(expected);
  });

  test('is off when it is empty', () => {
    expect(readWorkerConfig(worker).search).toBeUndefined();
    expect(readSearch('  ')).toBeUndefined();
  });

  test.each([
    'bing',
    'searxng',
    'brave $',
    'brave $0.0000001',
    'brave key=secret',
    'brave 60/5 60/5',
    'brave ftp://x.example',
    'brave https://user:pw@x.example',
  ])('%j is refused', (value) => {
    expect(thrown(() => readSearch(value))).toMatch(/SEARCH is invalid: must be brave, tavily or searxng/u);
  });
});
