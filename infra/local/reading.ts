/** Environment variables by name, as `.env` and the process give them. An empty one counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

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
  DISCORD_PUBLIC_KEY: '64 hex digits; discord.com/developers/applications > your app > General Information',
  DISCORD_APPLICATION_ID: 'digits; discord.com/developers/applications > your app > General Information',
  DISCORD_BOT_TOKEN: 'discord.com/developers/applications > your app > Bot > Reset Token',
  DISCORD_API_URL: 'an http or https address, such as https://discord.com/api/v10',
  DISCORD_GATEWAY_URL: 'a ws or wss address, such as wss://gateway.discord.gg',
  DISCORD_CDN_HOSTS: 'host names separated by commas, such as cdn.discordapp.com',
  UPSTREAM_BASE_URL: 'the http or https address of your chat-completions server, without /v1',
  UPSTREAM_API_KEY: 'from whoever runs your chat-completions server',
  UPSTREAM_MODEL: 'the id of a model as GET /v1/models of your server lists it',
  UPSTREAM_VISION_URL: 'the http or https address of the vision server',
};

/** Takes values one by one and collects what is wrong with them. */
export class Reading {
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

  /** Credentials in an address would end up in logs, so they are not taken. `protocol` is how it may begin. */
  address(name: string, protocol: RegExp = /^https?:$/): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    const fits = url !== null && protocol.test(url.protocol) && url.username === '' && url.password === '';
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
