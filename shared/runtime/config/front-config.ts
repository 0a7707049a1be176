import type { AwsAccess, AwsService } from './config.ts';
import * as ENV from './environment-names.ts';
import { type Level, LEVELS } from '../log-lines.ts';

type Common = { readonly logLevel: Level; readonly aws: AwsAccess; readonly taskQueueUrl: string };

/** What `discord-events` is told. */
export type DiscordEventsConfig = Common & {
  /** Of the application; empty where there is no Discord: then nothing is let in. */
  readonly publicKey: string;
};

/** What `discord-interactions` is told. */
export type DiscordFrontConfig = DiscordEventsConfig & {
  readonly conversationsTable: string;
  readonly days: number;
  /** The models that may be asked, the usual one first. */
  readonly models: readonly string[];
  /** Those that make videos, as the deployment writes them. */
  readonly videoModels: string;
};

/** What `slack-events` is told. */
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
  /** Ids of bots, their users or their apps. */
  readonly allowedBots: ReadonlySet<string>;
};

type Env = Readonly<Record<string, string | undefined>>;

/** By how the SDKs of AWS name the variable with the address of a service: `AWS_ENDPOINT_URL_` and this. */
const ENDPOINTS: Readonly<Record<string, AwsService>> = {
  DYNAMODB: 'dynamodb',
  SQS: 'sqs',
  SECRETS_MANAGER: 'secretsmanager',
  KMS: 'kms',
};
const DAYS = 30;

/*
 * The configurations of the fronts, which have a start to win and no room for a validator. The parameters of the deployment are
 * checked where they are given; what is missing here is named, all of it. They throw an Error that holds no values.
 */

export const slackFrontConfig = (env: Env = process.env): SlackFrontConfig =>
  reading(env, (need) => ({
    ...common(env, need),
    conversationsTable: need(ENV.conversationsTable),
    days: days(env),
    voiceQueueUrl: need(ENV.voiceQueueUrl),
    signingSecretId: need(ENV.slackSigningSecretId),
    botSecretId: need(ENV.slackBotSecretId),
    sealKeyId: need(ENV.sealKeyId),
    slackApiUrl: (env[ENV.slackApiUrl] || 'https://slack.com/api').replace(/\/?$/u, '/'),
    videoModels: env[ENV.videoModels] ?? '',
    botUserId: env[ENV.slackBotUserId] || undefined,
    allowedBots: new Set(namesIn(env[ENV.slackAllowedBots] ?? '')),
  }));

export const discordFrontConfig = (env: Env = process.env): DiscordFrontConfig =>
  reading(env, (need) => ({
    ...discordCommon(env, need),
    conversationsTable: need(ENV.conversationsTable),
    days: days(env),
    models: namesIn(`${env[ENV.upstreamModel] ?? ''} ${env[ENV.otherModels] ?? ''}`),
    videoModels: env[ENV.videoModels] ?? '',
  }));

export const discordEventsConfig = (env: Env = process.env): DiscordEventsConfig =>
  reading(env, (need) => discordCommon(env, need));

type Need = (name: string) => string;

/** Throws an Error that names every variable that is needed, and missing or empty. */
function reading<Config>(env: Env, read: (need: Need) => Config): Config {
  const missing: string[] = [];
  const config = read((name) => {
    const value = env[name] ?? '';
    if (value === '') missing.push(name);
    return value;
  });
  if (missing.length > 0) throw new Error(`The configuration is incomplete: ${missing.join(', ')} missing`);
  return config;
}

const discordCommon = (env: Env, need: Need): DiscordEventsConfig => ({
  ...common(env, need),
  publicKey: env[ENV.discordPublicKey] ?? '',
});

function common(env: Env, need: Need): Common {
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const endpoints: Partial<Record<AwsService, string>> = {};
  for (const [name, service] of Object.entries(ENDPOINTS)) {
    const url = env[`AWS_ENDPOINT_URL_${name}`] || env['AWS_ENDPOINT_URL'];
    if (url) endpoints[service] = url;
  }
  return {
    logLevel: LEVELS.find((one) => one === env[ENV.logLevel]) ?? 'info',
    aws: {
      region: need('AWS_REGION'),
      credentials: {
        accessKeyId: need('AWS_ACCESS_KEY_ID'),
        secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
        ...(sessionToken ? { sessionToken } : {}),
      },
      endpoints,
    },
    taskQueueUrl: need(ENV.taskQueueUrl),
  };
}

const days = (env: Env): number => Number(env[ENV.historyDays]) || DAYS;

const namesIn = (list: string): string[] => list.split(/[\s,]+/u).filter(Boolean);
