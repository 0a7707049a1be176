import { StartProblem } from './problem.ts';
import { Reading } from './reading.ts';
import type { Variables } from './reading.ts';

export type { Variables } from './reading.ts';

export type SlackChoice =
  | { readonly kind: 'simulated' }
  | {
      /** Events over a socket that this machine opens. */
      readonly kind: 'socket';
      readonly apiUrl: string;
      readonly botToken: string;
      readonly appToken: string;
      readonly signingSecret: string | undefined;
      readonly botUserId: string | undefined;
    }
  | {
      /** Events posted to `/slack/events` by Slack or by what stands in for it. */
      readonly kind: 'posted';
      readonly apiUrl: string;
      readonly botToken: string;
      readonly signingSecret: string;
      readonly botUserId: string;
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
      /** Interactions are posted to `/discord/interactions` by Discord or by what stands in for it. */
      readonly kind: 'real';
      readonly apiUrl: string;
      /** Where messages come from, with a bot token. */
      readonly gatewayUrl: string | undefined;
      readonly publicKey: string;
      readonly applicationId: string;
      readonly botToken: string | undefined;
    };

/** What is real and what is simulated, each on its own. */
export type LocalConfig = {
  readonly slack: SlackChoice;
  readonly discord: DiscordChoice;
  readonly upstream: UpstreamChoice;
  /** The Slack app as other workspaces install it; without it they cannot. */
  readonly slackApp: SlackApp | undefined;
};

export type SlackApp = { readonly clientId: string; readonly clientSecret: string };

const SLACK_API = 'https://slack.com/api/';
const DISCORD_API = 'https://discord.com/api/v10';

const BOT_TOKEN = /^xox(b|e\.xoxb)-\S+$/;
const APP_TOKEN = /^xapp-\S+$/;
const PUBLIC_KEY = /^[0-9a-f]{64}$/i;
const SNOWFLAKE = /^\d{1,20}$/;
const USER_ID = /^[UW][A-Z0-9]+$/;
const WORD = /^[\x21-\x7e]+$/;
const HOSTS = /^[a-z0-9.:-]+(\s*,\s*[a-z0-9.:-]+)*$/i;

/**
 * Decides from the variables what is real: Slack if any of its variables is set, Discord and the upstream likewise. Throws
 * StartProblem with one message that names every missing or malformed variable and where to get it, never a value.
 */
export function readConfig(variables: Variables): LocalConfig {
  const reading = new Reading(variables);
  const config = {
    slack: readSlack(reading),
    discord: readDiscord(reading),
    upstream: readUpstream(reading),
    slackApp: readApp(reading),
  };
  if (reading.faults.length === 0) return config;
  throw new StartProblem(
    `The configuration (.env or environment) is not complete:\n  ${reading.faults.join('\n  ')}\n` +
      'Leave out all SLACK_ variables for the simulated Slack, all DISCORD_ variables for the simulated Discord, ' +
      'all UPSTREAM_ variables for the simulated models.',
  );
}

function readSlack(reading: Reading): SlackChoice {
  const names = ['BOT_TOKEN', 'APP_TOKEN', 'SIGNING_SECRET', 'BOT_USER_ID', 'API_URL', 'FILES_HOSTS'];
  if (!names.some((name) => reading.has(`SLACK_${name}`))) return { kind: 'simulated' };
  const url = reading.address('SLACK_API_URL') ?? SLACK_API;
  const apiUrl = url.endsWith('/') ? url : `${url}/`;
  const botToken = reading.required('SLACK_BOT_TOKEN', BOT_TOKEN);
  reading.optional('SLACK_FILES_HOSTS', HOSTS);
  if (!reading.has('SLACK_APP_TOKEN') && reading.has('SLACK_SIGNING_SECRET')) {
    const signingSecret = reading.required('SLACK_SIGNING_SECRET', WORD);
    return {
      kind: 'posted',
      apiUrl,
      botToken,
      signingSecret,
      botUserId: reading.required('SLACK_BOT_USER_ID', USER_ID),
    };
  }
  const appToken = reading.required('SLACK_APP_TOKEN', APP_TOKEN);
  if (appToken === '') reading.instead('SLACK_SIGNING_SECRET', 'SLACK_BOT_USER_ID');
  const signingSecret = reading.optional('SLACK_SIGNING_SECRET', WORD);
  const botUserId = reading.optional('SLACK_BOT_USER_ID', USER_ID);
  return { kind: 'socket', apiUrl, botToken, appToken, signingSecret, botUserId };
}

function readApp(reading: Reading): SlackApp | undefined {
  if (!reading.has('SLACK_CLIENT_ID') && !reading.has('SLACK_CLIENT_SECRET')) return undefined;
  return {
    clientId: reading.required('SLACK_CLIENT_ID', /^\d+\.\d+$/),
    clientSecret: reading.required('SLACK_CLIENT_SECRET', WORD),
  };
}

function readDiscord(reading: Reading): DiscordChoice {
  const names = ['PUBLIC_KEY', 'APPLICATION_ID', 'BOT_TOKEN', 'API_URL', 'GATEWAY_URL', 'CDN_HOSTS'];
  if (!names.some((name) => reading.has(`DISCORD_${name}`))) return { kind: 'simulated' };
  reading.optional('DISCORD_CDN_HOSTS', HOSTS);
  return {
    kind: 'real',
    apiUrl: (reading.address('DISCORD_API_URL') ?? DISCORD_API).replace(/\/+$/, ''),
    gatewayUrl: reading.address('DISCORD_GATEWAY_URL', /^wss?:$/),
    publicKey: reading.required('DISCORD_PUBLIC_KEY', PUBLIC_KEY).toLowerCase(),
    applicationId: reading.required('DISCORD_APPLICATION_ID', SNOWFLAKE),
    botToken: reading.optional('DISCORD_BOT_TOKEN', WORD),
  };
}

function readUpstream(reading: Reading): UpstreamChoice {
  const names = ['BASE_URL', 'API_KEY', 'MODEL', 'VISION_URL'];
  if (!names.some((name) => reading.has(`UPSTREAM_${name}`))) return { kind: 'simulated' };
  reading.required('UPSTREAM_BASE_URL');
  return {
    kind: 'real',
    baseUrl: reading.address('UPSTREAM_BASE_URL') ?? '',
    visionUrl: reading.address('UPSTREAM_VISION_URL') ?? '',
    apiKey: reading.required('UPSTREAM_API_KEY', WORD),
    model: reading.required('UPSTREAM_MODEL', WORD),
  };
}
