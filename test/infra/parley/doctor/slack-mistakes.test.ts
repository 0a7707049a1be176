import { describe } from '@jest/globals';
import { createManifest } from '../../../../shared/platforms/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../../simulators/slack/index.ts';
import { NO_AWS } from '../fake-aws.ts';
import { type Mistake, testMistakes, without } from './mistake.ts';
import {
  APP_TOKEN,
  CONFIG_TOKEN,
  EXPIRED_CONFIG_TOKEN,
  OTHER_APP_TOKEN,
  type WorldOptions,
} from './world.ts';

const WITH_CONFIG_TOKEN = { ...NO_AWS, SLACK_CONFIG_TOKEN: CONFIG_TOKEN };
const manifestOf = (origin?: string) =>
  createManifest({ listening: 'channels', command: '/parley', shortcuts: [], origin });
const MANIFEST = manifestOf();
const EVENTS = MANIFEST.settings.event_subscriptions.bot_events;
const withManifest = (content: object): WorldOptions => ({ slack: { app: { manifest: content } } });

const ROTATING_TOKEN = 'xoxe.xoxb-1-simulated';

const slackTokens: readonly Mistake[] = [
  {
    title: 'the bot token and the app token are swapped',
    change: (all) => ({
      ...all,
      SLACK_BOT_TOKEN: all['SLACK_APP_TOKEN'],
      SLACK_APP_TOKEN: all['SLACK_BOT_TOKEN'],
    }),
    problem: 'fail SLACK_BOT_TOKEN',
    finding: /swapped/,
    fix: /the value of the other/,
  },
  {
    title: 'the signing secret is in the place of the bot token',
    change: (all) => ({ ...all, SLACK_BOT_TOKEN: 'ab'.repeat(16) }),
    problem: 'fail SLACK_BOT_TOKEN',
    finding: /something like a signing secret/,
    fix: /starts with xoxb-.*OAuth & Permissions/,
  },
  {
    title: 'the token of a person is in the place of the bot token',
    change: (all) => ({ ...all, SLACK_BOT_TOKEN: 'xoxp-1-2-3' }),
    problem: 'fail SLACK_BOT_TOKEN',
    finding: /a user token \(xoxp-\)/,
    fix: /starts with xoxb-/,
  },
  {
    title: 'a bot token is in the place of the signing secret',
    change: (all) => ({ ...without(all, 'SLACK_APP_TOKEN'), SLACK_SIGNING_SECRET: all['SLACK_BOT_TOKEN'] }),
    problem: 'fail SLACK_SIGNING_SECRET',
    finding: /a bot token \(xoxb-\)/,
    fix: /32 hex digits.*App Credentials/,
  },
  {
    title: 'the bot token is wrong',
    change: (all) => ({ ...all, SLACK_BOT_TOKEN: 'xoxb-wrong' }),
    problem: 'fail SLACK_BOT_TOKEN',
    finding: /invalid_auth/,
    fix: /OAuth & Permissions/,
  },
  {
    title: 'the bot token is of an app with token rotation',
    world: { slack: { botToken: ROTATING_TOKEN } },
    change: (all) => ({ ...all, SLACK_BOT_TOKEN: ROTATING_TOKEN }),
    problem: 'warn SLACK_BOT_TOKEN',
    finding: /at most 12 hours/,
    fix: /without token rotation.*\/slack\/install/,
  },
  {
    title: 'the app-level token is of another app',
    change: (all) => ({ ...all, SLACK_APP_TOKEN: OTHER_APP_TOKEN }),
    problem: 'fail SLACK_APP_TOKEN',
    finding: /A0OTHER000, but SLACK_BOT_TOKEN to A0PARLEY00/,
    fix: /api\.slack\.com\/apps\/A0PARLEY00/,
  },
  {
    title: 'the app-level token has no scope for connections',
    world: { slack: { app: { appTokens: { [APP_TOKEN]: [] } } } },
    problem: 'fail SLACK_APP_TOKEN',
    finding: /missing_scope/,
    fix: /scope connections:write/,
  },
  {
    title: 'the bot user id is of another workspace',
    change: (all) => ({ ...all, SLACK_BOT_USER_ID: 'U0OTHER00' }),
    problem: 'fail SLACK_BOT_USER_ID',
    finding: /the token is of U0PARLEY00/,
    fix: /Remove it/,
  },
  {
    title: 'a scope is missing',
    world: {
      slack: {
        identity: { scopes: DEFAULT_IDENTITY.scopes.filter((scope) => scope !== 'files:read') },
      },
    },
    problem: 'warn Slack scopes',
    finding: /files:read is missing: it may not read files/,
    fix: /Bot Token Scopes, and install the app again/,
  },
];

const slackApp: readonly Mistake[] = [
  {
    title: 'the bot is not in the channel',
    world: { slack: { channels: [{ id: 'C0EMPTY000', name: 'empty', kind: 'channel', members: [] }] } },
    input: { slackChannel: 'C0EMPTY000' },
    problem: 'fail Slack channel C0EMPTY000',
    finding: /not_in_channel/,
    fix: /\/invite @parley/,
  },
  {
    title: 'the channel is of another workspace',
    input: { slackChannel: 'C0ELSEWHERE' },
    problem: 'fail Slack channel C0ELSEWHERE',
    finding: /channel_not_found/,
    fix: /SLACK_BOT_TOKEN is of another workspace/,
  },
  {
    title: 'the Messages tab is off',
    world: withManifest({
      ...MANIFEST,
      features: { ...MANIFEST.features, app_home: { home_tab_enabled: true } },
    }),
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /Messages tab is off/,
    fix: /App Home > Show Tabs/,
  },
  {
    title: 'the Messages tab is read-only',
    world: withManifest({
      ...MANIFEST,
      features: {
        ...MANIFEST.features,
        app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      },
    }),
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /read-only/,
    fix: /Allow users to send Slash commands and messages/,
  },
  {
    title: 'socket mode is off in the app',
    world: withManifest(manifestOf('https://parley.example.com')),
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /socket mode is off/,
    fix: /Socket Mode/,
  },
  {
    title: 'the app does not subscribe to mentions',
    world: withManifest({
      ...MANIFEST,
      settings: {
        ...MANIFEST.settings,
        event_subscriptions: { bot_events: EVENTS.filter((event) => event !== 'app_mention') },
      },
    }),
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /does not subscribe to app_mention: mentions do not arrive/,
    fix: /Subscribe to bot events/,
  },
  {
    title: 'the slash command has another name',
    change: (all) => ({ ...all, SLACK_COMMAND: '/bot' }),
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'warn Slack app',
    finding: /no slash command \/bot/,
    fix: /SLACK_COMMAND/,
  },
  {
    title: 'the configuration token has expired',
    input: { environment: { ...NO_AWS, SLACK_CONFIG_TOKEN: EXPIRED_CONFIG_TOKEN } },
    problem: 'warn SLACK_CONFIG_TOKEN',
    finding: /12 hours \(token_expired\)/,
    fix: /Your App Configuration Tokens/,
  },
];

const posted: readonly Mistake[] = [
  {
    title: 'the signing secret is wrong: the local system has rejected a request of Slack',
    change: (_, world) => world.posted,
    input: { engineLog: `old\n${new Date().toISOString()} POST /slack/events: 401\n` },
    problem: 'warn SLACK_SIGNING_SECRET',
    finding: /did not fit 1 request of the last hour/,
    fix: /App Credentials > Signing Secret/,
  },
  {
    title: 'no Request URL is entered in the app',
    world: withManifest({
      ...MANIFEST,
      settings: { ...MANIFEST.settings, socket_mode_enabled: false },
    }),
    change: (_, world) => world.posted,
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /no Request URL/,
    fix: /\/slack\/events/,
  },
  {
    title: 'the app uses socket mode, and the system has no app-level token',
    change: (_, world) => world.posted,
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack app',
    finding: /socket mode is on, but SLACK_APP_TOKEN is not set/,
    fix: /switch Socket Mode off/,
  },
  {
    title: 'nothing answers at the Request URL',
    world: withManifest({ ...manifestOf('https://parley.invalid') }),
    change: (_, world) => world.posted,
    input: { environment: WITH_CONFIG_TOKEN },
    problem: 'fail Slack events',
    finding: /https:\/\/parley\.invalid could not be reached/,
    fix: /Start Parley, and the tunnel/,
  },
];

describe('tokens of Slack', () => {
  testMistakes(slackTokens);
});
describe('the Slack app', () => {
  testMistakes(slackApp);
});
describe('a Slack app that posts its events', () => {
  testMistakes(posted);
});
