/** Environment variables of `.env` and the process. An empty value counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

const SLACK_APP = 'api.slack.com/apps > your app';
const DISCORD_APP = 'discord.com/developers/applications > your app';
const HOSTS = 'host names separated by commas, such as';
const MODELS = 'ids of models separated by commas, as GET /v1/models of your server lists them';

/** All variables, with their form and where to find the value. */
export const VARIABLES: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: `starts with xoxb-; ${SLACK_APP} > OAuth & Permissions`,
  SLACK_APP_TOKEN: `starts with xapp-; ${SLACK_APP} > Basic Information > App-Level Tokens`,
  SLACK_SIGNING_SECRET: `32 hex digits; ${SLACK_APP} > Basic Information > App Credentials`,
  SLACK_BOT_USER_ID: "starts with U; in Slack, the bot's profile > Copy member ID",
  SLACK_CLIENT_ID: `two numbers with a dot; ${SLACK_APP} > Basic Information > App Credentials`,
  SLACK_CLIENT_SECRET: `${SLACK_APP} > Basic Information > App Credentials`,
  SLACK_COMMAND: 'a slash and small letters, such as /parley',
  SLACK_ALLOWED_BOTS: 'ids of bots, their users or their apps, separated by commas',
  SLACK_API_URL: 'an http or https address, such as https://slack.com/api/',
  SLACK_FILES_HOSTS: `${HOSTS} files.slack.com`,
  DISCORD_PUBLIC_KEY: `64 hex digits; ${DISCORD_APP} > General Information`,
  DISCORD_APPLICATION_ID: `digits; ${DISCORD_APP} > General Information`,
  DISCORD_BOT_TOKEN: `three parts with dots between them; ${DISCORD_APP} > Bot > Reset Token`,
  DISCORD_API_URL: 'an http or https address, such as https://discord.com/api/v10',
  DISCORD_GATEWAY_URL: 'a ws or wss address, such as wss://gateway.discord.gg',
  DISCORD_MESSAGES: 'mentions or all',
  DISCORD_MOST_MESSAGES: 'a number from 1 to 20',
  DISCORD_RELAY_TASKS: 'a number from 1 to 20',
  DISCORD_CDN_HOSTS: `${HOSTS} cdn.discordapp.com`,
  UPSTREAM_BASE_URL: 'the http or https address of your chat-completions server',
  UPSTREAM_API_KEY: 'from whoever runs your chat-completions server',
  UPSTREAM_SHAPE: 'current or legacy',
  FIRST_TOKEN_SECONDS: 'a number of seconds from 1 to 400',
  UPSTREAM_MODEL: 'the id of a model as GET /v1/models of your server lists it',
  UPSTREAM_VISION_URL: 'the http or https address of the vision server',
  OTHER_MODELS: MODELS,
  STAND_IN_MODELS: MODELS,
  FOLLOW_UP_MODEL: 'the id of a model as GET /v1/models of your server lists it',
  VIDEO_MODELS:
    '[operation=]name[:field[:price]], operation=/path or links=https://host, separated by commas',
  VIDEO_PICTURE: 'url or data',
  MEDIA_DAYS: 'a number of days',
  SPEECH_LIMIT: 'requests a minute and a burst, such as 60/10',
  VIDEO_LIMIT: 'requests a minute and a burst, such as 10/5',
  SEARCH_API_KEY: 'from Brave or Tavily',
  SEARCH: 'brave, tavily or searxng, and what docs/search.md says',
  TIME_ZONE: 'the name of a time zone, such as Europe/Berlin',
  TOOL_SERVER_ORIGINS: 'origins of MCP servers that are called although they are not public',
  FFMPEG_PATH: 'where ffmpeg lies, such as /usr/bin/ffmpeg',
  ACCOUNTS: 'off or on',
  DEPLOYMENT_BUDGET: 'budgets such as $20/day $300/month 5000/month',
  REASONING: 'off, brief, full or file',
  SYSTEM_PROMPT: 'what the model is told about itself',
  HISTORY_DAYS: 'a number of days',
  LOG_LEVEL: 'debug, info, warn or error',
};

/** Variables whose values must never be shown, and what they are. In a deployment they are secrets rather than parameters. */
export const CREDENTIAL_MEANINGS: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'The token of the bot. Slack is real as soon as one of its tokens is set.',
  SLACK_APP_TOKEN: 'The app-level token for socket mode: Slack does not need to reach your machine.',
  SLACK_SIGNING_SECRET: 'Used without an app token: Slack posts events to `/slack/events`.',
  SLACK_CLIENT_ID: 'With the secret, lets other workspaces install the app.',
  SLACK_CLIENT_SECRET: 'The secret of the client id.',
  DISCORD_BOT_TOKEN: 'The token of the bot. Without it only commands and buttons work.',
  UPSTREAM_API_KEY: 'The API key of the models.',
  SEARCH_API_KEY: 'The key of the web search. SearXNG needs none.',
};
export const CREDENTIALS: readonly string[] = Object.keys(CREDENTIAL_MEANINGS);

/** A token for the settings of Slack apps. Only commands read it, from the environment: it expires after 12 hours. */
export const CONFIG_TOKEN = 'SLACK_CONFIG_TOKEN';

/** Returns the trimmed value; undefined if it is not set. */
export function getValue(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === '' ? undefined : value;
}

/** Returns the variable's form and source as a sentence. */
export const describeSource = (name: string): string => `${name} is: ${VARIABLES[name]}.`;
