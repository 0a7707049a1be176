import { StartProblem } from './problem.ts';

/** Environment variables by name, as `.env` and the process give them. An empty one counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

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

/** What is real and what is simulated, each on its own. */
export type LocalConfig = {
  readonly slack: SlackChoice;
  readonly upstream: UpstreamChoice;
  /** The Slack app as other workspaces install it; without it they cannot. */
  readonly slackApp: SlackApp | undefined;
};

export type SlackApp = { readonly clientId: string; readonly clientSecret: string };

const SLACK_API = 'https://slack.com/api/';

/** Where each variable is to be found. */
const SOURCES: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'starts with xoxb-; api.slack.com/apps > your app > OAuth & Permissions',
  SLACK_APP_TOKEN: 'starts with xapp-; api.slack.com/apps > your app > Basic Information > App-Level Tokens',
  SLACK_SIGNING_SECRET: 'api.slack.com/apps > your app > Basic Information > App Credentials',
  SLACK_BOT_USER_ID: "starts with U; in Slack, the bot's profile > Copy member ID",
  SLACK_CLIENT_ID: 'api.slack.com/apps > your app > Basic Information > App Credentials',
  SLACK_CLIENT_SECRET: 'api.slack.com/apps > your app > Basic Information > App Credentials',
  SLACK_API_URL: 'an http or https address, such as https://slack.com/api/',
  SLACK_FILES_HOSTS: 'host names separated by commas, such as files.slack.com',
  UPSTREAM_BASE_URL: 'the http or https address of your chat-completions server, without /v1',
  UPSTREAM_API_KEY: 'from whoever runs your chat-completions server',
  UPSTREAM_MODEL: 'the id of a model as GET /v1/models of your server lists it',
  UPSTREAM_VISION_URL: 'the http or https address of the vision server',
};

const BOT_TOKEN = /^xox(b|e\.xoxb)-\S+$/;
const APP_TOKEN = /^xapp-\S+$/;
const USER_ID = /^[UW][A-Z0-9]+$/;
const WORD = /^[\x21-\x7e]+$/;
const HOSTS = /^[a-z0-9.:-]+(\s*,\s*[a-z0-9.:-]+)*$/i;

/**
 * Decides from the variables what is real: Slack if any of its variables is set, the upstream likewise. Throws
 * StartProblem with one message that names every missing or malformed variable and where to get it, never a value.
 */
export function readConfig(variables: Variables): LocalConfig {
  const reading = new Reading(variables);
  const config = { slack: readSlack(reading), upstream: readUpstream(reading), slackApp: readApp(reading) };
  if (reading.faults.length === 0) return config;
  throw new StartProblem(
    `The configuration (.env or environment) is not complete:\n  ${reading.faults.join('\n  ')}\n` +
      'Leave out all SLACK_ variables for the simulated Slack, all UPSTREAM_ variables for the simulated models.',
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

/** Takes values one by one and collects what is wrong with them. */
class Reading {
  readonly faults: string[] = [];
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** The value, or '' with a fault. */
  required(name: string, form: RegExp = /./): string {
    if (!this.has(name)) this.faults.push(`${name} is missing: ${SOURCES[name]}`);
    return this.optional(name, form) ?? '';
  }

  optional(name: string, form: RegExp): string | undefined {
    const value = this.#value(name);
    if (value !== undefined && !form.test(value)) this.faults.push(`${name} is malformed: ${SOURCES[name]}`);
    return value;
  }

  /** Credentials in an address would end up in logs, so they are not taken. */
  address(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    const fits = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!fits) this.faults.push(`${name} is malformed: ${SOURCES[name]}`);
    return value;
  }

  /** Tells the other way to do without what was named last. */
  instead(...names: readonly string[]): void {
    const missing = names.filter((name) => !this.has(name));
    const ways = missing.map((name) => `${name} (${SOURCES[name]})`);
    this.faults.push(`  or, to have events posted to /slack/events instead: ${ways.join(' and ')}`);
  }

  #value(name: string): string | undefined {
    const value = this.#variables[name]?.trim();
    return value === '' ? undefined : value;
  }
}
