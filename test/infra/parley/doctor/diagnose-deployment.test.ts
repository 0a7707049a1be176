import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { diagnoseDeployment } from '../../../../infra/parley/doctor/diagnose-deployment.ts';
import { CREDENTIALS, REGION, startFakeAws } from '../fake-aws.ts';
import { getProblems, SIGNING_SECRET, startWorld, type World } from './world.ts';

const PLACEHOLDER = 'to be filled in';

let world: World;
let close: () => void = () => undefined;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  close();
  await world.close();
});

/** Checks the stack Parley, whose secrets and addresses are right, with these changes. */
async function check(
  changes: Record<string, object> = {},
  outputs: Record<string, string> = {},
  stack = 'Parley',
) {
  const secrets = new Map(
    Object.entries({
      signing: { current: SIGNING_SECRET },
      bot: { botToken: world.slack.botToken },
      discord: { botToken: world.discord.botToken },
      upstream: { apiKey: 'key-of-the-models' },
      ...changes,
    }).map(([name, content]) => [name, JSON.stringify(content)]),
  );
  const stacks = {
    Parley: {
      SlackEventsUrl: `${world.callbackUrl}/slack/events`,
      DiscordInteractionsUrl: `${world.callbackUrl}/discord/interactions`,
      SlackSigningSecret: 'signing',
      SlackBotSecret: 'bot',
      DiscordBotSecret: 'discord',
      UpstreamSecret: 'upstream',
      ...outputs,
    },
  };
  const aws = await startFakeAws({ secrets, stacks });
  ({ close } = aws);
  const checks = await diagnoseDeployment({
    account: { credentials: CREDENTIALS, region: REGION, endpoint: aws.url },
    stack,
    variables: world.variables,
    now: Date.now,
    createProbe: () => createProbe(3_000),
  });
  const text = JSON.stringify(checks);
  for (const secret of [world.slack.botToken, world.discord.botToken, SIGNING_SECRET, 'key-of-the-models'])
    expect(text).not.toContain(secret);
  return { problems: getProblems(checks), checks };
}

test('a deployment with its secrets, whose addresses the platforms have, has no problem', async () => {
  const { problems, checks } = await check();
  expect(problems).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual([
    'Deployment',
    'SlackSigningSecret',
    'SlackBotSecret',
    'DiscordBotSecret',
    'UpstreamSecret',
    'SLACK_BOT_TOKEN',
    'Slack message search',
    'Slack events',
    'Discord interactions',
    'Alarms',
  ]);
});

test.each([
  ['a secret with its placeholder', { upstream: { apiKey: PLACEHOLDER } }, ['warn UpstreamSecret']],
  [
    'the random signing secret of a new deployment',
    { signing: { current: 'Zx9'.repeat(11) } },
    ['warn SlackSigningSecret'],
  ],
  ['a wrong token of Slack', { bot: { botToken: 'xoxb-wrong' } }, ['fail SLACK_BOT_TOKEN']],
  ['a wrong token of Discord', { discord: { botToken: 'a.wrong.token' } }, ['fail DiscordBotSecret']],
])('%s is reported', async (_, changes, problems) => {
  expect((await check(changes)).problems).toEqual(problems);
});

test('an application of Discord that posts elsewhere is reported with the address to enter', async () => {
  const { problems, checks } = await check({}, { DiscordInteractionsUrl: `${world.callbackUrl}/elsewhere` });
  expect(problems).toEqual(['fail Discord application', 'fail Discord interactions']);
  expect(checks.find(({ name }) => name === 'Discord application')?.fix).toContain('/elsewhere');
});

test('an address that nothing answers at is reported', async () => {
  const { problems } = await check({}, { SlackEventsUrl: 'https://parley.invalid/slack/events' });
  expect(problems).toEqual(['fail Slack events']);
});

test('a stack that does not exist is reported', async () => {
  const { problems, checks } = await check({}, {}, 'Parley-test');
  expect(problems).toEqual(['fail Deployment']);
  expect(checks[0]?.finding).toContain('no stack Parley-test');
});
