import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { diagnoseDeployment } from '../../../../infra/parley/doctor/diagnose-deployment.ts';
import { CREDENTIALS, REGION, startFakeAws } from '../fake-aws.ts';
import { getProblems, SIGNING_SECRET, startWorld, type World } from './world.ts';

const PLACEHOLDER = 'to be filled in';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

/** Checks the stack Parley, whose secrets and addresses are right, with these changes. */
async function check(
  changes: Record<string, object> = {},
  outputs: Record<string, string> = {},
  stack = 'Parley',
  parameters: Record<string, string> = {},
  variables = world.variables,
) {
  const secrets = new Map(
    Object.entries({
      signing: { current: SIGNING_SECRET },
      bot: { botToken: world.slack.botToken },
      discord: { botToken: world.discord.botToken },
      upstream: { apiKey: 'key-of-the-models' },
      oauth: { clientId: PLACEHOLDER, clientSecret: PLACEHOLDER },
      ...changes,
    }).map(([name, content]) => [name, JSON.stringify(content)]),
  );
  const stacks = {
    Parley: {
      SlackEventsUrl: `${world.callbackUrl}/slack/events`,
      DiscordInteractionsUrl: `${world.callbackUrl}/discord/interactions`,
      DiscordEventsUrl: `${world.callbackUrl}/discord/events`,
      SlackSigningSecret: 'signing',
      SlackBotSecret: 'bot',
      SlackOAuthSecret: 'oauth',
      DiscordBotSecret: 'discord',
      UpstreamSecret: 'upstream',
      ...outputs,
    },
  };
  const aws = await startFakeAws({ secrets, stacks, parameters });
  const checks = await diagnoseDeployment({
    account: { credentials: CREDENTIALS, region: REGION, endpoint: aws.url },
    stack,
    variables,
    now: Date.now,
    createProbe: () => createProbe(3_000),
  }).finally(aws.close);
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
  ['a secret with its placeholder', { upstream: { apiKey: PLACEHOLDER } }, ['fail UpstreamSecret']],
  [
    'the random signing secret of a new deployment',
    { signing: { current: 'Zx9'.repeat(11) } },
    ['fail SlackSigningSecret'],
  ],
  ['a wrong token of Slack', { bot: { botToken: 'xoxb-wrong' } }, ['fail SLACK_BOT_TOKEN']],
  ['a wrong token of Discord', { discord: { botToken: 'a.wrong.token' } }, ['fail DiscordBotSecret']],
])('%s is reported', async (_, changes, problems) => {
  expect((await check(changes)).problems).toEqual(problems);
});

const NO_SLACK = { signing: { current: 'Zx9'.repeat(11) }, bot: { botToken: PLACEHOLDER } };
const NO_DISCORD = { discord: { botToken: PLACEHOLDER } };
const listSkipped = ({ checks }: Awaited<ReturnType<typeof check>>) =>
  checks.filter(({ result }) => result === 'skip').map(({ name }) => name);

test('the placeholders of the platform that is not used are right', async () => {
  const slackOnly = await check(NO_DISCORD);
  expect(slackOnly.problems).toEqual([]);
  expect(listSkipped(slackOnly)).toEqual(['DiscordBotSecret']);
  const discordOnly = await check(NO_SLACK);
  expect(discordOnly.problems).toEqual([]);
  expect(listSkipped(discordOnly)).toEqual(['SlackSigningSecret', 'SlackBotSecret']);
});

test('the relay needs the token of Discord; without one only commands and buttons work', async () => {
  const parameters = { DiscordPublicKey: 'ab'.repeat(32) };
  expect((await check(NO_DISCORD, {}, 'Parley', parameters)).problems).toEqual(['warn DiscordBotSecret']);
  const relay = await check(NO_DISCORD, { RelayService: 'relay' }, 'Parley', parameters);
  expect(relay.problems).toEqual(['fail DiscordBotSecret']);
});

test('a deployment for neither platform lacks all their credentials', async () => {
  const { problems } = await check({ ...NO_SLACK, ...NO_DISCORD });
  expect(problems).toEqual(['fail SlackSigningSecret', 'fail SlackBotSecret', 'fail DiscordBotSecret']);
});

test('a deployment whose workspaces install the app needs no bot token of its own', async () => {
  const { bot } = NO_SLACK;
  expect((await check({ bot })).problems).toEqual(['fail SlackBotSecret']);
  expect((await check({ bot, oauth: { clientId: '1.2', clientSecret: 'x' } })).problems).toEqual([]);
});

test('an application of Discord that posts elsewhere is reported with the address to enter', async () => {
  const { problems, checks } = await check({}, { DiscordInteractionsUrl: `${world.callbackUrl}/elsewhere` });
  expect(problems).toEqual(['fail Discord application', 'fail Discord interactions']);
  expect(checks.find(({ name }) => name === 'Discord application')?.fix).toContain('/elsewhere');
});

test.each([
  ['has no address for events', { event_webhooks_url: null, event_webhooks_status: 1 }],
  ['has events switched off', { event_webhooks_status: 1 }],
  ['does not report removals', { event_webhooks_types: ['APPLICATION_AUTHORIZED'] }],
])('an application of Discord that %s is reported', async (_, change) => {
  const { apiUrl, botToken } = world.discord;
  const headers = {
    authorization: `Bot ${botToken}`,
    'content-type': 'application/json',
    'user-agent': 'DiscordBot (https://parley.example, 1.0)',
  };
  const request = { method: 'PATCH', headers, body: JSON.stringify(change) };
  expect(await (await fetch(`${apiUrl}/applications/@me`, request)).json()).toMatchObject(change);
  const { problems, checks } = await check();
  expect(problems).toEqual(['warn Discord webhook events']);
  expect(checks.find(({ name }) => name === 'Discord webhook events')?.fix).toContain(
    `${world.callbackUrl}/discord/events`,
  );
});

test('the tokens go to the addresses in the parameters of the stack, whatever the variables of this machine are', async () => {
  const parameters = {
    SlackApiUrl: world.slack.apiUrl,
    // The functions add the version.
    DiscordApiUrl: world.discord.apiUrl.replace(/\/v\d+$/u, ''),
  };
  const elsewhere = 'http://127.0.0.1:1/';
  const variables = { ...world.variables, SLACK_API_URL: elsewhere, DISCORD_API_URL: elsewhere };
  expect((await check({}, {}, 'Parley', parameters, variables)).problems).toEqual([]);
});

test('an address that nothing answers at is reported', async () => {
  const { problems, checks } = await check({}, { SlackEventsUrl: 'https://parley.invalid/slack/events' });
  expect(problems).toEqual(['fail Slack events']);
  // Not for the machine of whoever asks.
  expect(checks.find(({ name }) => name === 'Slack events')?.fix).toMatch(/AWS console/u);
});

test.each([
  [500, /what is behind it does not \(500\)/u, 'docs/runbook.md#front-fails'],
  [503, /what is behind it does not \(503\)/u, 'docs/runbook.md#front-fails'],
  [429, /accepts no more requests/u, 'docs/runbook.md#requests-throttled'],
])(
  'an address that answers with %i is reported with the section of the runbook',
  async (status, finding, fix) => {
    await world.close();
    world = await startWorld({ callbackStatus: status });
    const { problems, checks } = await check();
    expect(problems).toEqual(['fail Slack events', 'fail Discord interactions']);
    for (const name of ['Slack events', 'Discord interactions'])
      expect(checks.find((one) => one.name === name)).toMatchObject({
        finding: expect.stringMatching(finding),
        fix: expect.stringContaining(fix),
      });
  },
);

test('a stack that does not exist is reported', async () => {
  const { problems, checks } = await check({}, {}, 'Parley-test');
  expect(problems).toEqual(['fail Deployment']);
  expect(checks[0]?.finding).toContain('no stack Parley-test');
});
