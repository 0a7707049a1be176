import { describe, expect, test } from '@jest/globals';
import { getFailed, formatChecks } from '../../../infra/configuration/check.ts';
import { readConfig } from '../../../infra/configuration/read-config.ts';
import type { Variables } from '../../../infra/configuration/variables.ts';

const BOT = { SLACK_BOT_TOKEN: 'xoxb-1-secret' };
const UPSTREAM = {
  UPSTREAM_BASE_URL: 'https://models.example',
  UPSTREAM_API_KEY: 'k-secret',
  UPSTREAM_MODEL: 'm',
};

const SIGNING = { SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef' };

/** The message about invalid variables. */
const failureText = (variables: Variables): string =>
  formatChecks(getFailed(readConfig(variables).checks)).join('\n');
const config = (variables: Variables) => readConfig(variables).config;
const warned = (variables: Variables): readonly string[] =>
  readConfig(variables)
    .checks.filter(({ result }) => result === 'warn')
    .map(({ name }) => name);

describe('real and simulated services', () => {
  test('are all simulated without variables, or with empty ones', () => {
    const kind = 'simulated';
    const simulated = { slack: { kind }, discord: { kind }, upstream: { kind } };
    expect(config({})).toEqual(simulated);
    expect(config({ SLACK_BOT_TOKEN: '', SLACK_API_URL: ' ', UPSTREAM_BASE_URL: '', PATH: '/bin' })).toEqual(
      simulated,
    );
  });
  test('are chosen one by one', () => {
    expect(config(UPSTREAM)).toMatchObject({
      slack: { kind: 'simulated' },
      upstream: { kind: 'real', model: 'm', visionUrl: '' },
    });
    expect(config({ ...BOT, SLACK_APP_TOKEN: 'xapp-1' })).toMatchObject({
      slack: { kind: 'socket', apiUrl: 'https://slack.com/api/', appToken: 'xapp-1' },
      upstream: { kind: 'simulated' },
    });
  });
  test('include another Discord with URL, key and application, and optional bot token and gateway', () => {
    const variables = {
      DISCORD_API_URL: 'http://127.0.0.1:9/api/v10/',
      DISCORD_PUBLIC_KEY: 'AB'.repeat(32),
      DISCORD_APPLICATION_ID: '901000000000000001',
    };
    const real = { kind: 'real', apiUrl: 'http://127.0.0.1:9/api/v10', publicKey: 'ab'.repeat(32) };
    expect(config(variables)).toMatchObject({ slack: { kind: 'simulated' }, discord: real });
    expect(warned({ ...variables, DISCORD_BOT_TOKEN: 'a.b.c' })).toEqual(['DISCORD_GATEWAY_URL']);
    expect(warned({ ...variables, DISCORD_GATEWAY_URL: 'wss://x' })).toEqual(['DISCORD_BOT_TOKEN']);
    const more = { DISCORD_BOT_TOKEN: 't', DISCORD_GATEWAY_URL: 'ws://127.0.0.1:8' };
    expect(config({ ...variables, ...more }).discord).toMatchObject({
      botToken: 't',
      gatewayUrl: 'ws://127.0.0.1:8',
    });
    expect(failureText({ DISCORD_BOT_TOKEN: 'secret', DISCORD_GATEWAY_URL: 'http://x' })).toMatch(
      /DISCORD_GATEWAY_URL: is malformed[^]*DISCORD_PUBLIC_KEY: is missing[^]*DISCORD_APPLICATION_ID: is missing/,
    );
  });
  test('include another Slack with its trailing slash; signing secret and bot user id replace an app token', () => {
    const variables = {
      ...BOT,
      SLACK_SIGNING_SECRET: 's',
      SLACK_BOT_USER_ID: 'U1',
      SLACK_API_URL: 'http://127.0.0.1:9/api',
    };
    expect(config(variables).slack).toEqual({
      kind: 'posted',
      apiUrl: 'http://127.0.0.1:9/api/',
      botToken: 'xoxb-1-secret',
      signingSecret: 's',
      botUserId: 'U1',
    });
    expect(warned(variables)).toEqual(['SLACK_SIGNING_SECRET']);
    expect(config({ ...BOT, ...SIGNING }).slack).toMatchObject({ kind: 'posted', botUserId: undefined });
    expect(warned({ ...BOT, ...SIGNING })).toEqual([]);
    expect(config({ ...variables, SLACK_APP_TOKEN: 'xapp-1' }).slack).toMatchObject({
      kind: 'socket',
      signingSecret: 's',
      botUserId: 'U1',
    });
  });
});

describe('one message names all missing and malformed variables', () => {
  test.each<[string, Variables, string[]]>([
    [
      'a bot token without the rest',
      BOT,
      ['SLACK_APP_TOKEN: is missing', 'SLACK_SIGNING_SECRET', 'api.slack.com/apps'],
    ],
    ['an app token alone', { SLACK_APP_TOKEN: 'xapp-1' }, ['SLACK_BOT_TOKEN: is missing']],
    [
      'a malformed signing secret',
      { ...BOT, SLACK_SIGNING_SECRET: 's' },
      ['SLACK_SIGNING_SECRET: is malformed'],
    ],
    [
      'a token as signing secret, also of a test server',
      { ...BOT, SLACK_SIGNING_SECRET: 'xoxb-2', SLACK_API_URL: 'http://127.0.0.1:9/' },
      ['SLACK_SIGNING_SECRET: is malformed', 'it holds a bot token'],
    ],
    [
      'two swapped tokens',
      { SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1' },
      ['SLACK_BOT_TOKEN: and SLACK_APP_TOKEN are swapped', 'Give each the value of the other.'],
    ],
    [
      'the client secret of Discord as its token',
      {
        DISCORD_PUBLIC_KEY: 'ab'.repeat(32),
        DISCORD_APPLICATION_ID: '901000000000000001',
        DISCORD_BOT_TOKEN: 'Q3Vyd2hhdGV2ZXI',
        DISCORD_GATEWAY_URL: 'wss://gateway.discord.gg',
      },
      ['DISCORD_BOT_TOKEN: is malformed', 'three parts with dots'],
    ],
    [
      'another Slack alone',
      { SLACK_API_URL: 'https://x.example/api/' },
      ['SLACK_BOT_TOKEN: is missing', 'SLACK_APP_TOKEN: is missing'],
    ],
    [
      'a base URL alone',
      { UPSTREAM_BASE_URL: 'https://m.example' },
      ['UPSTREAM_API_KEY: is missing', 'UPSTREAM_MODEL: is missing'],
    ],
    [
      'a key alone',
      { UPSTREAM_API_KEY: 'k' },
      ['UPSTREAM_BASE_URL: is missing', 'UPSTREAM_MODEL: is missing'],
    ],
    [
      'both halves',
      { ...BOT, UPSTREAM_MODEL: 'm' },
      ['SLACK_APP_TOKEN: is missing', 'UPSTREAM_BASE_URL: is missing', 'UPSTREAM_API_KEY: is missing'],
    ],
    [
      'a user token',
      { SLACK_BOT_TOKEN: 'xoxp-1', SLACK_APP_TOKEN: 'xapp-1' },
      ['SLACK_BOT_TOKEN: is malformed'],
    ],
    ['a bot token as app token', { ...BOT, SLACK_APP_TOKEN: 'xoxb-1' }, ['SLACK_APP_TOKEN: is malformed']],
    ['not a URL', { ...UPSTREAM, UPSTREAM_BASE_URL: 'models.example' }, ['UPSTREAM_BASE_URL: is malformed']],
    [
      'another protocol',
      { ...UPSTREAM, UPSTREAM_VISION_URL: 'ftp://x' },
      ['UPSTREAM_VISION_URL: is malformed'],
    ],
    [
      'a password in a URL',
      { ...UPSTREAM, UPSTREAM_BASE_URL: 'https://u:hunter2@x' },
      ['UPSTREAM_BASE_URL: is malformed'],
    ],
    [
      'hosts with a scheme',
      { ...BOT, SLACK_APP_TOKEN: 'xapp-1', SLACK_FILES_HOSTS: 'https://x' },
      ['SLACK_FILES_HOSTS: is malformed'],
    ],
  ])('%s', (_, variables, parts) => {
    const message = failureText(variables);
    for (const part of parts) expect(message).toContain(part);
    expect(message).not.toMatch(/secret$|hunter2|k-secret|xoxp-1/m);
    expect(message.match(/is (missing|malformed)/g) ?? []).toHaveLength(
      parts.filter((part) => / is /.test(part)).length,
    );
  });
});

describe('a budget of the deployment', () => {
  const DEPLOYMENT_BUDGET = '$20/day';
  const REFUSAL =
    '  FAIL  DEPLOYMENT_BUDGET: limits nothing without ACCOUNTS=on.\n        Set ACCOUNTS=on, or remove DEPLOYMENT_BUDGET.';

  test.each<readonly [string, Variables, string]>([
    ['is refused without accounts', { ...UPSTREAM, DEPLOYMENT_BUDGET }, REFUSAL],
    ['is refused with accounts off', { ...UPSTREAM, DEPLOYMENT_BUDGET, ACCOUNTS: 'off' }, REFUSAL],
    ['works with accounts', { ...UPSTREAM, DEPLOYMENT_BUDGET, ACCOUNTS: 'on' }, ''],
    ['works with simulated models, which have accounts', { DEPLOYMENT_BUDGET }, ''],
    ['is refused if these are switched off', { DEPLOYMENT_BUDGET, ACCOUNTS: 'off' }, REFUSAL],
    ['may be empty without accounts', { ...UPSTREAM, DEPLOYMENT_BUDGET: '' }, ''],
  ])('%s', (_, variables, message) => {
    expect(failureText(variables)).toBe(message);
  });
});
