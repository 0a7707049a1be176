import { type Check, warn } from './check.ts';
import { VariableReader, WORD } from './variable-reader.ts';
import { describeSource, type Variables } from './variables.ts';

export type SlackChoice =
  | { readonly kind: 'simulated' }
  | {
      /** Events over a socket to Slack. */
      readonly kind: 'socket';
      readonly apiUrl: string;
      readonly botToken: string;
      readonly appToken: string;
      readonly signingSecret: string | undefined;
      readonly botUserId: string | undefined;
    }
  | {
      /** Events posted to `/slack/events` by Slack or a test server. */
      readonly kind: 'posted';
      readonly apiUrl: string;
      readonly botToken: string;
      readonly signingSecret: string;
      readonly botUserId: string | undefined;
    };

export type UpstreamChoice =
  | { readonly kind: 'simulated' }
  | {
      readonly kind: 'real';
      readonly baseUrl: string;
      readonly visionUrl: string;
      readonly apiKey: string;
      readonly model: string;
    };

export type DiscordChoice =
  | { readonly kind: 'simulated' }
  | {
      /** Interactions posted to `/discord/interactions` by Discord or a test server. */
      readonly kind: 'real';
      readonly apiUrl: string;
      /** The gateway for messages; requires a bot token. */
      readonly gatewayUrl: string | undefined;
      readonly publicKey: string;
      readonly applicationId: string;
      readonly botToken: string | undefined;
    };

/** Which services are real and which are simulated. */
export type LocalConfig = {
  readonly slack: SlackChoice;
  readonly discord: DiscordChoice;
  readonly upstream: UpstreamChoice;
  /** The Slack app for installation in other workspaces; undefined without it. */
  readonly slackApp: SlackApp | undefined;
};

export type SlackApp = { readonly clientId: string; readonly clientSecret: string };

/** The addresses of the real services. */
export const SLACK_API = 'https://slack.com/api/';
export const DISCORD_API = 'https://discord.com/api/v10';
export const DISCORD_GATEWAY = 'wss://gateway.discord.gg';

const BOT_TOKEN = /^xox(b|e\.xoxb)-\S+$/;
const APP_TOKEN = /^xapp-\S+$/;
const SIGNING_SECRET = /^[0-9a-f]{32}$/;
const DISCORD_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const PUBLIC_KEY = /^[0-9a-f]{64}$/i;
const SNOWFLAKE = /^\d{1,20}$/;
const USER_ID = /^[UW][A-Z0-9]+$/;
const HOSTS = /^[a-z0-9.:-]+(\s*,\s*[a-z0-9.:-]+)*$/i;

/**
 * Decides which services are real: Slack if any of its variables is set, Discord and the upstream likewise. Each missing or
 * malformed variable gives a failed check; the configuration must not be used then.
 */
export function readConfig(variables: Variables): { config: LocalConfig; checks: readonly Check[] } {
  const reader = new VariableReader(variables);
  const config = {
    slack: readSlack(reader),
    discord: readDiscord(reader),
    upstream: readUpstream(reader),
    slackApp: readSlackApp(reader),
  };
  checkBudget(reader, config.upstream);
  return { config, checks: reader.checks };
}

function readSlack(reader: VariableReader): SlackChoice {
  const names = ['BOT_TOKEN', 'APP_TOKEN', 'SIGNING_SECRET', 'BOT_USER_ID', 'API_URL', 'FILES_HOSTS'];
  if (!names.some((name) => reader.has(`SLACK_${name}`))) return { kind: 'simulated' };
  const isReal = !reader.has('SLACK_API_URL');
  const url = reader.url('SLACK_API_URL') ?? SLACK_API;
  const apiUrl = url.endsWith('/') ? url : `${url}/`;
  const areSwapped = reader.fits('SLACK_BOT_TOKEN', APP_TOKEN) && reader.fits('SLACK_APP_TOKEN', BOT_TOKEN);
  if (areSwapped) {
    reader.fail('SLACK_BOT_TOKEN', 'and SLACK_APP_TOKEN are swapped', 'Give each the value of the other.');
    return { kind: 'simulated' };
  }
  const botToken = reader.required('SLACK_BOT_TOKEN', BOT_TOKEN);
  reader.optional('SLACK_FILES_HOSTS', HOSTS);
  const botUserId = reader.optional('SLACK_BOT_USER_ID', USER_ID);
  const signingSecret = reader.optionalUsual('SLACK_SIGNING_SECRET', SIGNING_SECRET, isReal);
  if (!reader.has('SLACK_APP_TOKEN') && signingSecret !== undefined) {
    return { kind: 'posted', apiUrl, botToken, signingSecret, botUserId };
  }
  if (!reader.has('SLACK_APP_TOKEN')) {
    const or = `Or, to have events posted to /slack/events instead: ${describeSource('SLACK_SIGNING_SECRET')}`;
    reader.fail('SLACK_APP_TOKEN', 'is missing', `${describeSource('SLACK_APP_TOKEN')} ${or}`);
  }
  const appToken = reader.optional('SLACK_APP_TOKEN', APP_TOKEN) ?? '';
  return { kind: 'socket', apiUrl, botToken, appToken, signingSecret, botUserId };
}

function readSlackApp(reader: VariableReader): SlackApp | undefined {
  if (!reader.has('SLACK_CLIENT_ID') && !reader.has('SLACK_CLIENT_SECRET')) return undefined;
  return {
    clientId: reader.required('SLACK_CLIENT_ID', /^\d+\.\d+$/),
    clientSecret: reader.required('SLACK_CLIENT_SECRET', WORD),
  };
}

function readDiscord(reader: VariableReader): DiscordChoice {
  const names = ['PUBLIC_KEY', 'APPLICATION_ID', 'BOT_TOKEN', 'API_URL', 'GATEWAY_URL', 'CDN_HOSTS'];
  if (!names.some((name) => reader.has(`DISCORD_${name}`))) return { kind: 'simulated' };
  reader.optional('DISCORD_CDN_HOSTS', HOSTS);
  const isReal = !reader.has('DISCORD_API_URL');
  if (reader.has('DISCORD_BOT_TOKEN') !== reader.has('DISCORD_GATEWAY_URL')) {
    const missing = reader.has('DISCORD_BOT_TOKEN') ? 'DISCORD_GATEWAY_URL' : 'DISCORD_BOT_TOKEN';
    const finding =
      'is missing: the bot receives no mentions and direct messages. Only commands and buttons work.';
    reader.checks.push(warn(missing, finding, describeSource(missing)));
  }
  return {
    kind: 'real',
    apiUrl: (reader.url('DISCORD_API_URL') ?? DISCORD_API).replace(/\/+$/, ''),
    gatewayUrl: reader.url('DISCORD_GATEWAY_URL', /^wss?:$/),
    publicKey: reader.required('DISCORD_PUBLIC_KEY', PUBLIC_KEY).toLowerCase(),
    applicationId: reader.required('DISCORD_APPLICATION_ID', SNOWFLAKE),
    botToken: reader.optionalUsual('DISCORD_BOT_TOKEN', DISCORD_TOKEN, isReal),
  };
}

/** Without accounts nothing is counted, and the budget would limit nothing. With simulated models accounts are on by default. */
function checkBudget(reader: VariableReader, { kind }: UpstreamChoice): void {
  const hasAccounts = reader.has('ACCOUNTS') ? reader.fits('ACCOUNTS', /^on$/) : kind === 'simulated';
  if (hasAccounts || !reader.has('DEPLOYMENT_BUDGET')) return;
  const fix = 'Set ACCOUNTS=on, or remove DEPLOYMENT_BUDGET.';
  reader.fail('DEPLOYMENT_BUDGET', 'limits nothing without ACCOUNTS=on', fix);
}

function readUpstream(reader: VariableReader): UpstreamChoice {
  const names = ['BASE_URL', 'API_KEY', 'MODEL', 'VISION_URL'];
  if (!names.some((name) => reader.has(`UPSTREAM_${name}`))) return { kind: 'simulated' };
  reader.required('UPSTREAM_BASE_URL');
  return {
    kind: 'real',
    baseUrl: reader.url('UPSTREAM_BASE_URL') ?? '',
    visionUrl: reader.url('UPSTREAM_VISION_URL') ?? '',
    apiKey: reader.required('UPSTREAM_API_KEY', WORD),
    model: reader.required('UPSTREAM_MODEL', WORD),
  };
}
