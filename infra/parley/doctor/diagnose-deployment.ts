import * as v from 'valibot';
import { SECRET_PLACEHOLDER } from '../../../shared/runtime/index.ts';
import {
  type Check,
  checkSlack,
  DISCORD_API,
  fail,
  getValue,
  pass,
  type Probe,
  skip,
  SLACK_API,
  type Variables,
  warn,
} from '../../configuration/index.ts';
import {
  ConnectError,
  type Outputs,
  type PlatformUrls,
  readOutputs,
  readParameters,
  toPlatformUrls,
} from '../aws/deployment.ts';
import { readSecret } from '../aws/secrets.ts';
import type { AwsAccount } from '../aws/signed-request.ts';
import { EVENTS_ENABLED, REMOVAL_EVENT } from '../discord/edit-application.ts';
import { createOperatorCall } from '../operator/operator-call.ts';
import { checkAlarms } from './checks/check-alarms.ts';
import { checkCallback, discordCallback, slackCallback } from './checks/check-callback.ts';
import { readDiscord } from './checks/check-discord-server.ts';

export type Deployment = {
  readonly account: AwsAccount;
  /** The name of the stack. */
  readonly stack: string;
  /** Only the addresses of platforms are read, if the parameters of the stack do not name them. */
  readonly variables: Variables;
  readonly now: () => number;
  readonly createProbe: (timeoutMs: number) => Probe;
};

const SERVICE_TIMEOUT_MS = 15_000;

/** What stores the credentials of `.env` in a deployment. */
const CONNECT = '"npx parley connect --stage <stage>"';

/** The secrets of a deployment that are checked: output, and what does not work without it. */
const SECRETS = [
  ['SlackSigningSecret', 'Slack'],
  ['SlackBotSecret', 'Slack'],
  ['DiscordBotSecret', 'Discord'],
  ['UpstreamSecret', 'the models'],
] as const;
/** The key of the credential in each secret. */
const CREDENTIAL_KEYS = {
  SlackSigningSecret: 'current',
  SlackBotSecret: 'botToken',
  SlackOAuthSecret: 'clientId',
  DiscordBotSecret: 'botToken',
  UpstreamSecret: 'apiKey',
} as const;
const SIGNING_SECRET = /^[0-9a-f]{32}$/;

/** Checks a deployment: its secrets, its addresses, that the platforms have them, and its alarms. Never rejects. */
export async function diagnoseDeployment(deployment: Deployment): Promise<readonly Check[]> {
  const { account, stack, createProbe } = deployment;
  try {
    const [outputs, parameters] = await Promise.all([
      readOutputs(account, stack, createProbe(SERVICE_TIMEOUT_MS)),
      readParameters(account, stack, createProbe(SERVICE_TIMEOUT_MS)),
    ]);
    const credentials = await readCredentials(account, outputs, createProbe(SERVICE_TIMEOUT_MS));
    const use = {
      hasPublicKey: Boolean(parameters['DiscordPublicKey']),
      hasRelay: outputs['RelayService'] !== undefined,
    };
    const call = createOperatorCall(account, { unreachable: 'AWS could not be reached.', createProbe });
    const urls = toPlatformUrls(parameters);
    const [slack, discord, alarms] = await Promise.all([
      diagnoseSlack(deployment, outputs, urls, credentials.get('SlackBotSecret')),
      diagnoseDiscord(deployment, outputs, urls, credentials.get('DiscordBotSecret')),
      checkAlarms(call, stack),
    ]);
    return [
      pass('Deployment', `has the stack ${stack}.`),
      ...evaluateSecrets(credentials, use),
      ...slack,
      ...discord,
      ...alarms,
    ];
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return [fail('Deployment', error.message, 'Correct this, then run this again.')];
  }
}

/** The credentials in the secrets, by output. Undefined for one that still has its placeholder. */
type Credentials = ReadonlyMap<string, string | undefined>;

async function readCredentials(account: AwsAccount, outputs: Outputs, probe: Probe): Promise<Credentials> {
  const keys = Object.entries(CREDENTIAL_KEYS).filter(([output]) => outputs[output] !== undefined);
  const entries = keys.map(async ([output, key]) => {
    const value = (await readSecret(account, outputs[output] ?? '', probe))[key];
    const isSet =
      typeof value === 'string' &&
      value !== SECRET_PLACEHOLDER &&
      (output !== 'SlackSigningSecret' || SIGNING_SECRET.test(value));
    return [output, isSet ? value : undefined] as const;
  });
  return new Map(await Promise.all(entries));
}

/** What of Discord a deployment has: the key that interactions are verified with, and the relay. */
type DiscordUse = { readonly hasPublicKey: boolean; readonly hasRelay: boolean };

/** A placeholder is a failure, except of a platform that the deployment is not for. */
function evaluateSecrets(credentials: Credentials, { hasPublicKey, hasRelay }: DiscordUse): Check[] {
  const isSet = (output: string): boolean => credentials.get(output) !== undefined;
  const hasSlack = isSet('SlackSigningSecret') || isSet('SlackBotSecret');
  const hasDiscord = hasPublicKey || hasRelay || isSet('DiscordBotSecret');
  const isUnused = { Slack: hasDiscord && !hasSlack, Discord: hasSlack && !hasDiscord, 'the models': false };
  return SECRETS.filter(([output]) => credentials.has(output)).map(([output, service]) => {
    if (isSet(output)) return pass(output, 'is set.');
    if (isUnused[service])
      return skip(output, `has its placeholder, which is right if you do not use ${service}.`);
    // Workspaces that installed the app have tokens of their own.
    if (output === 'SlackBotSecret' && isSet('SlackOAuthSecret'))
      return skip(output, 'has its placeholder: only workspaces that installed the app are served.');
    const fix = `Put the credential into .env and run ${CONNECT}.`;
    if (service === 'Discord' && hasPublicKey && !hasRelay)
      return warn(output, 'has its placeholder: only commands and buttons work in Discord.', fix);
    return fail(output, `has its placeholder: without it ${service} cannot be used.`, fix);
  });
}

async function diagnoseSlack(
  { variables, now, createProbe }: Deployment,
  { SlackEventsUrl: url }: Outputs,
  { slack: ofStack }: PlatformUrls,
  botToken: string | undefined,
): Promise<Check[]> {
  if (botToken === undefined || url === undefined) return [];
  const apiUrl = ofStack ?? getValue(variables, 'SLACK_API_URL') ?? SLACK_API;
  const probe = createProbe(SERVICE_TIMEOUT_MS);
  const settings = { apiUrl, botToken, appToken: undefined, botUserId: undefined };
  const [slack, callback] = await Promise.all([
    checkSlack(settings, probe),
    checkCallback(slackCallback(url, now()), probe, 'deployment'),
  ]);
  return [...slack.checks, callback];
}

const applicationSchema = v.object({
  interactions_endpoint_url: v.nullish(v.string()),
  event_webhooks_url: v.nullish(v.string()),
  event_webhooks_status: v.nullish(v.number()),
  event_webhooks_types: v.nullish(v.array(v.string())),
});
type Application = v.InferOutput<typeof applicationSchema>;

async function diagnoseDiscord(
  { variables, now, createProbe }: Deployment,
  { DiscordInteractionsUrl: url, DiscordEventsUrl: eventsUrl }: Outputs,
  { discord: ofStack }: PlatformUrls,
  botToken: string | undefined,
): Promise<Check[]> {
  if (botToken === undefined || url === undefined) return [];
  const apiUrl = (ofStack ?? getValue(variables, 'DISCORD_API_URL') ?? DISCORD_API).replace(/\/+$/, '');
  const probe = createProbe(SERVICE_TIMEOUT_MS);
  const [application, callback] = await Promise.all([
    readDiscord({ apiUrl, applicationId: '', botToken }, '/applications/@me', probe),
    checkCallback(discordCallback(url, now()), probe, 'deployment'),
  ]);
  if (application.kind === 'answered' && application.status === 401)
    return [
      fail(
        'DiscordBotSecret',
        'is rejected by Discord (401).',
        `Reset the token, put it into .env, and run ${CONNECT}.`,
      ),
    ];
  const parsed =
    application.kind === 'answered' ? v.safeParse(applicationSchema, application.json) : undefined;
  if (!parsed?.success) return [warn('Discord', 'does not answer.', 'Try again later.'), callback];
  const settings = [
    ...evaluateInteractionsUrl(parsed.output, url),
    ...(eventsUrl === undefined ? [] : evaluateEvents(parsed.output, eventsUrl)),
  ];
  return [...settings, callback];
}

function evaluateInteractionsUrl({ interactions_endpoint_url: entered }: Application, url: string): Check[] {
  if (entered === url) return [];
  return [
    fail(
      'Discord application',
      entered
        ? `posts interactions to ${entered} rather than to this deployment.`
        : 'has no Interactions Endpoint URL.',
      `Run ${CONNECT}, or enter ${url} at discord.com/developers/applications > your app > General Information.`,
    ),
  ];
}

/** Evaluates whether the deployment learns of people who remove the app. */
function evaluateEvents(application: Application, url: string): Check[] {
  const { event_webhooks_url: entered, event_webhooks_status: status } = application;
  const { event_webhooks_types: types } = application;
  if (entered === url && status === EVENTS_ENABLED && types?.includes(REMOVAL_EVENT)) return [];
  return [
    warn(
      'Discord webhook events',
      'do not tell this deployment when a person removes the app: their data stays.',
      `Run ${CONNECT}, or see docs/discord.md, On AWS, step 4: the address is ${url}.`,
    ),
  ];
}
