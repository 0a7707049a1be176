import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../infra/local/config.ts';
import type { Variables } from '../../../infra/local/config.ts';

const BOT = { SLACK_BOT_TOKEN: 'xoxb-1-secret' };
const UPSTREAM = {
  UPSTREAM_BASE_URL: 'https://models.example',
  UPSTREAM_API_KEY: 'k-secret',
  UPSTREAM_MODEL: 'm',
};

const refused = (variables: Variables): string => {
  try {
    readConfig(variables);
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('what is real and what is simulated', () => {
  test('without variables, or with empty ones, all are simulated', () => {
    const kind = 'simulated';
    const simulated = { slack: { kind }, discord: { kind }, upstream: { kind } };
    expect(readConfig({})).toEqual(simulated);
    expect(
      readConfig({ SLACK_BOT_TOKEN: '', SLACK_API_URL: ' ', UPSTREAM_BASE_URL: '', PATH: '/bin' }),
    ).toEqual(simulated);
  });
  test('each on its own', () => {
    expect(readConfig(UPSTREAM)).toMatchObject({
      slack: { kind: 'simulated' },
      upstream: { kind: 'real', model: 'm', visionUrl: '' },
    });
    expect(readConfig({ ...BOT, SLACK_APP_TOKEN: 'xapp-1' })).toMatchObject({
      slack: { kind: 'socket', apiUrl: 'https://slack.com/api/', appToken: 'xapp-1' },
      upstream: { kind: 'simulated' },
    });
  });
  test('another Discord is named by its address, key and application; a bot token and a gateway may come with it', () => {
    const variables = {
      DISCORD_API_URL: 'http://127.0.0.1:9/api/v10/',
      DISCORD_PUBLIC_KEY: 'AB'.repeat(32),
      DISCORD_APPLICATION_ID: '901000000000000001',
    };
    const real = { kind: 'real', apiUrl: 'http://127.0.0.1:9/api/v10', publicKey: 'ab'.repeat(32) };
    expect(readConfig(variables)).toMatchObject({ slack: { kind: 'simulated' }, discord: real });
    const more = { DISCORD_BOT_TOKEN: 't', DISCORD_GATEWAY_URL: 'ws://127.0.0.1:8' };
    expect(readConfig({ ...variables, ...more }).discord).toMatchObject({
      botToken: 't',
      gatewayUrl: 'ws://127.0.0.1:8',
    });
    expect(refused({ DISCORD_BOT_TOKEN: 'secret', DISCORD_GATEWAY_URL: 'http://x' })).toMatch(
      /DISCORD_GATEWAY_URL is malformed[^]*DISCORD_PUBLIC_KEY is missing[^]*DISCORD_APPLICATION_ID is missing/,
    );
  });
  test('a signing secret and the bot user id stand for an app token; another Slack gets its slash', () => {
    const variables = {
      ...BOT,
      SLACK_SIGNING_SECRET: 's',
      SLACK_BOT_USER_ID: 'U1',
      SLACK_API_URL: 'http://127.0.0.1:9/api',
    };
    expect(readConfig(variables).slack).toEqual({
      kind: 'posted',
      apiUrl: 'http://127.0.0.1:9/api/',
      botToken: 'xoxb-1-secret',
      signingSecret: 's',
      botUserId: 'U1',
    });
    expect(readConfig({ ...variables, SLACK_APP_TOKEN: 'xapp-1' }).slack).toMatchObject({
      kind: 'socket',
      signingSecret: 's',
      botUserId: 'U1',
    });
  });
});

describe('one message names all that is missing or malformed', () => {
  test.each<[string, Variables, string[]]>([
    [
      'a bot token alone',
      BOT,
      ['SLACK_APP_TOKEN is missing', 'SLACK_SIGNING_SECRET', 'SLACK_BOT_USER_ID', 'api.slack.com/apps'],
    ],
    ['an app token alone', { SLACK_APP_TOKEN: 'xapp-1' }, ['SLACK_BOT_TOKEN is missing']],
    ['no bot user id', { ...BOT, SLACK_SIGNING_SECRET: 's' }, ['SLACK_BOT_USER_ID is missing']],
    [
      'another Slack alone',
      { SLACK_API_URL: 'https://x.example/api/' },
      ['SLACK_BOT_TOKEN is missing', 'SLACK_APP_TOKEN is missing'],
    ],
    [
      'a base URL alone',
      { UPSTREAM_BASE_URL: 'https://m.example' },
      ['UPSTREAM_API_KEY is missing', 'UPSTREAM_MODEL is missing'],
    ],
    ['a key alone', { UPSTREAM_API_KEY: 'k' }, ['UPSTREAM_BASE_URL is missing', 'UPSTREAM_MODEL is missing']],
    [
      'both halves',
      { ...BOT, UPSTREAM_MODEL: 'm' },
      ['SLACK_APP_TOKEN is missing', 'UPSTREAM_BASE_URL is missing', 'UPSTREAM_API_KEY is missing'],
    ],
    [
      'a user token',
      { SLACK_BOT_TOKEN: 'xoxp-1', SLACK_APP_TOKEN: 'xapp-1' },
      ['SLACK_BOT_TOKEN is malformed'],
    ],
    ['a bot token as app token', { ...BOT, SLACK_APP_TOKEN: 'xoxb-1' }, ['SLACK_APP_TOKEN is malformed']],
    ['no address', { ...UPSTREAM, UPSTREAM_BASE_URL: 'models.example' }, ['UPSTREAM_BASE_URL is malformed']],
    [
      'another protocol',
      { ...UPSTREAM, UPSTREAM_VISION_URL: 'ftp://x' },
      ['UPSTREAM_VISION_URL is malformed'],
    ],
    [
      'a password in an address',
      { ...UPSTREAM, UPSTREAM_BASE_URL: 'https://u:hunter2@x' },
      ['UPSTREAM_BASE_URL is malformed'],
    ],
    [
      'hosts with a scheme',
      { ...BOT, SLACK_APP_TOKEN: 'xapp-1', SLACK_FILES_HOSTS: 'https://x' },
      ['SLACK_FILES_HOSTS is malformed'],
    ],
  ])('%s', (_, variables, parts) => {
    const message = refused(variables);
    for (const part of parts) expect(message).toContain(part);
    expect(message).not.toMatch(/secret$|hunter2|k-secret|xoxp-1/m);
    expect(message.match(/is (missing|malformed)/g)).toHaveLength(
      parts.filter((part) => / is /.test(part)).length,
    );
  });
});
