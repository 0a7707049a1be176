import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GENERAL } from '../../../simulators/discord/index.ts';
import { NO_AWS } from '../fake-aws.ts';
import { CONFIG_TOKEN, diagnoseVariables, getProblems, startWorld, type World } from './world.ts';

describe('a correct set-up', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  test('has no problem, and each part is checked', async () => {
    const checks = await diagnoseVariables(world.variables, {
      environment: { ...NO_AWS, SLACK_CONFIG_TOKEN: CONFIG_TOKEN },
      slackChannel: world.slack.channel,
      discordChannel: GENERAL,
      shouldAskModel: true,
    });
    expect(getProblems(checks)).toEqual([]);
    expect(checks.filter(({ result }) => result === 'pass').map(({ name }) => name)).toEqual([
      'Node',
      '.env',
      'Clock',
      'SLACK_BOT_TOKEN',
      'Slack message search',
      'SLACK_APP_TOKEN',
      'DISCORD_BOT_TOKEN',
      'UPSTREAM_BASE_URL',
      'Slack app',
      `Slack channel ${world.slack.channel}`,
      'Discord interactions',
      'Discord commands',
      'Discord servers',
      `Discord channel ${GENERAL}`,
      'Model model-e',
    ]);
  });

  test('posts no message, and changes nothing', () => {
    const called = world.slack.calls.map(({ method }) => method);
    expect(called.filter((method) => /^chat\.|^files\.|create|update/.test(method))).toEqual([]);
    const written = world.discord.calls.filter(({ route }) => !route.startsWith('GET '));
    expect(written.map(({ route }) => route)).toEqual(['PUT /applications/{application_id}/commands']);
  });
});

test('without variables everything is simulated, and skipped', async () => {
  const checks = await diagnoseVariables(
    {},
    { envFile: { path: '.env', exists: false, mode: undefined, text: '' } },
  );
  expect(getProblems(checks)).toEqual([]);
  expect(checks.filter(({ result }) => result === 'skip').map(({ name }) => name)).toEqual([
    '.env',
    'Slack',
    'Discord',
    'Models',
    'AWS',
  ]);
});

test('a malformed value is not sent to a service', async () => {
  const checks = await diagnoseVariables({ SLACK_BOT_TOKEN: 'xoxp-1', SLACK_API_URL: 'http://127.0.0.1:1' });
  expect(checks.find(({ name }) => name === 'Services')).toMatchObject({ result: 'skip' });
  expect(checks.some(({ name }) => name === 'Slack')).toBe(false);
});
