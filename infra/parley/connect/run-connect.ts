import {
  checkSlack,
  CONFIG_TOKEN,
  DISCORD_API,
  getValue,
  type Probe,
  readAppIdOfToken,
  SLACK_API,
  type Variables,
} from '../../configuration/index.ts';
import type { AwsAccount } from '../aws/signed-request.ts';
import { readOutputs, type Outputs } from '../aws/deployment.ts';
import { registerAtDiscord, registerAtSlack, registerEventsAtDiscord } from './register-urls.ts';
import { storeSecrets, type StoredSecret } from './store-secrets.ts';

export type ConnectOptions = {
  readonly account: AwsAccount;
  /** The name of the stack. */
  readonly stack: string;
  /** The variables of `.env` and the environment. */
  readonly variables: Variables;
  readonly say: (line: string) => void;
  readonly createProbe: (timeoutMs: number) => Probe;
};

const SERVICE_TIMEOUT_MS = 15_000;

const RESULTS: Readonly<Record<StoredSecret['result'], string>> = {
  stored:
    'stored in its secret. Functions use it at once if the former value is rejected, otherwise within 15 minutes.',
  unchanged: 'is stored already.',
  'not-set': 'is not set, and its secret stays as it is.',
};

/**
 * Stores the credentials in a deployment, and enters its addresses at the platforms. Resolves with whether all of it that
 * the variables allow was done. Rejects with ConnectError when the deployment cannot be read or written.
 */
export async function runConnect(options: ConnectOptions): Promise<boolean> {
  const { account, stack, variables, say, createProbe } = options;
  say(`Reading the stack ${stack} in ${account.region} ...`);
  const outputs = await readOutputs(account, stack, createProbe(SERVICE_TIMEOUT_MS));
  const stored = await storeSecrets(account, outputs, variables, createProbe(SERVICE_TIMEOUT_MS));
  for (const { variable, result } of stored) say(`${variable} ${RESULTS[result]}`);
  const isSlackDone = await connectSlack(options, outputs);
  const isDiscordDone = await connectDiscord(options, outputs);
  return isSlackDone && isDiscordDone;
}

async function connectSlack(
  { variables, say, createProbe }: ConnectOptions,
  { SlackEventsUrl: url }: Outputs,
): Promise<boolean> {
  const botToken = getValue(variables, 'SLACK_BOT_TOKEN');
  if (botToken === undefined || url === undefined) return true;
  const configToken = getValue(variables, CONFIG_TOKEN);
  const byHand = `Enter ${url} in the Slack app: docs/slack.md, On AWS, step 3.`;
  if (configToken === undefined) {
    say(
      `Slack: ${byHand} Or run this again with ${CONFIG_TOKEN}, which does it: docs/command-line.md, connect.`,
    );
    return false;
  }
  const apiUrl = getValue(variables, 'SLACK_API_URL') ?? SLACK_API;
  const settings = { apiUrl, botToken, appToken: undefined, botUserId: undefined };
  const { appId } = await checkSlack(settings, createProbe(SERVICE_TIMEOUT_MS));
  const id = appId ?? readAppIdOfToken(getValue(variables, 'SLACK_APP_TOKEN') ?? '');
  const problem =
    id === undefined
      ? 'Slack did not tell the id of the app'
      : await registerAtSlack({ apiUrl, configToken, appId: id }, url, createProbe(SERVICE_TIMEOUT_MS));
  say(
    problem === undefined
      ? `Slack: events, interactivity and slash commands arrive at ${url}. The redirect URL for installs in other workspaces is entered. Socket mode is off.`
      : `Slack: the address was not entered (${problem}). ${byHand}`,
  );
  return problem === undefined;
}

async function connectDiscord(
  { variables, say, createProbe }: ConnectOptions,
  { DiscordInteractionsUrl: url, DiscordEventsUrl: eventsUrl }: Outputs,
): Promise<boolean> {
  const botToken = getValue(variables, 'DISCORD_BOT_TOKEN');
  if (botToken === undefined || url === undefined) return true;
  const apiUrl = (getValue(variables, 'DISCORD_API_URL') ?? DISCORD_API).replace(/\/+$/, '');
  const access = { apiUrl, botToken };
  const problem = await registerAtDiscord(access, url, createProbe(SERVICE_TIMEOUT_MS));
  if (problem !== undefined) {
    say(
      `Discord: the address was not entered: ${problem}. See that the stack has the parameter DiscordPublicKey of this application, then run this again.`,
    );
    return false;
  }
  say(`Discord: commands and buttons arrive at ${url}.`);
  if (eventsUrl === undefined) return true;
  const refusal = await registerEventsAtDiscord(access, eventsUrl, createProbe(SERVICE_TIMEOUT_MS));
  say(
    refusal === undefined
      ? `Discord: removals of the app arrive at ${eventsUrl}.`
      : `Discord: the address for webhook events was not entered: ${refusal}. Enter ${eventsUrl}: docs/discord.md, On AWS, step 4.`,
  );
  return refusal === undefined;
}
