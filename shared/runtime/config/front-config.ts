import type { AwsAccess, AwsService } from './config.ts';
import * as ENV from './environment-names.ts';
import { type Level, LEVELS } from '../log-lines.ts';

type Common = { readonly logLevel: Level; readonly aws: AwsAccess; readonly taskQueueUrl: string };

/** The configuration of `discord-events`. */
export type DiscordEventsConfig = Common & {
  /** The application's public key; empty without Discord: then every request is rejected. */
  readonly publicKey: string;
};

/** The configuration of `discord-interactions`. */
export type DiscordFrontConfig = DiscordEventsConfig & {
  readonly conversationsTable: string;
  readonly days: number;
  /** The available models, the default one first. */
  readonly models: readonly string[];
  /** The video models, in the format of the deployment parameter. */
  readonly videoModels: string;
};

/** The configuration of `slack-events`. */
export type SlackFrontConfig = Common & {
  readonly conversationsTable: string;
  readonly days: number;
  readonly voiceQueueUrl: string;
  readonly signingSecretId: string;
  readonly botSecretId: string;
  readonly sealKeyId: string;
  /** Ends with a slash. */
  readonly slackApiUrl: string;
  readonly videoModels: string;
  readonly botUserId: string | undefined;
  /** Ids of bots, bot users or apps. */
  readonly allowedBots: ReadonlySet<string>;
};

type Env = Readonly<Record<string, string | undefined>>;

/** The suffixes of the endpoint variables `AWS_ENDPOINT_URL_…`, as the AWS SDKs name them. */
const ENDPOINTS: Readonly<Record<string, AwsService>> = {
  DYNAMODB: 'dynamodb',
  SQS: 'sqs',
  SECRETS_MANAGER: 'secretsmanager',
  KMS: 'kms',
};
const DEFAULT_HISTORY_DAYS = 30;

/*
 * The configurations of the fronts. They must start fast and have no space for a validation library. Deployment
 * parameters are validated when they are entered; here only missing variables are reported, all of them in one
 * Error without values.
 */

export const readSlackFrontConfig = (env: Env = process.env): SlackFrontConfig =>
  readRequired(env, (required) => ({
    ...common(env, required),
    conversationsTable: required(ENV.conversationsTable),
    days: historyDays(env),
    voiceQueueUrl: required(ENV.voiceQueueUrl),
    signingSecretId: required(ENV.slackSigningSecretId),
    botSecretId: required(ENV.slackBotSecretId),
    sealKeyId: required(ENV.sealKeyId),
    slackApiUrl: (env[ENV.slackApiUrl] || 'https://slack.com/api').replace(/\/?$/u, '/'),
    videoModels: env[ENV.videoModels] ?? '',
    botUserId: env[ENV.slackBotUserId] || undefined,
    allowedBots: new Set(splitNames(env[ENV.slackAllowedBots] ?? '')),
  }));

export const readDiscordFrontConfig = (env: Env = process.env): DiscordFrontConfig =>
  readRequired(env, (required) => ({
    ...discordCommon(env, required),
    conversationsTable: required(ENV.conversationsTable),
    days: historyDays(env),
    models: splitNames(`${env[ENV.upstreamModel] ?? ''} ${env[ENV.otherModels] ?? ''}`),
    videoModels: env[ENV.videoModels] ?? '',
  }));

export const readDiscordEventsConfig = (env: Env = process.env): DiscordEventsConfig =>
  readRequired(env, (required) => discordCommon(env, required));

type RequireVariable = (name: string) => string;

/** Reads a configuration. Throws an Error that lists every required variable that is missing or empty. */
function readRequired<Config>(env: Env, read: (required: RequireVariable) => Config): Config {
  const missing: string[] = [];
  const config = read((name) => {
    const value = env[name] ?? '';
    if (value === '') missing.push(name);
    return value;
  });
  if (missing.length > 0) throw new Error(`The configuration is incomplete: ${missing.join(', ')} missing`);
  return config;
}

const discordCommon = (env: Env, required: RequireVariable): DiscordEventsConfig => ({
  ...common(env, required),
  publicKey: env[ENV.discordPublicKey] ?? '',
});

function common(env: Env, required: RequireVariable): Common {
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const endpoints: Partial<Record<AwsService, string>> = {};
  for (const [name, service] of Object.entries(ENDPOINTS)) {
    const url = env[`AWS_ENDPOINT_URL_${name}`] || env['AWS_ENDPOINT_URL'];
    if (url) endpoints[service] = url;
  }
  return {
    logLevel: LEVELS.find((one) => one === env[ENV.logLevel]) ?? 'info',
    aws: {
      region: required('AWS_REGION'),
      credentials: {
        accessKeyId: required('AWS_ACCESS_KEY_ID'),
        secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
        ...(sessionToken ? { sessionToken } : {}),
      },
      endpoints,
    },
    taskQueueUrl: required(ENV.taskQueueUrl),
  };
}

const historyDays = (env: Env): number => Number(env[ENV.historyDays]) || DEFAULT_HISTORY_DAYS;

const splitNames = (list: string): string[] => list.split(/[\s,]+/u).filter(Boolean);
