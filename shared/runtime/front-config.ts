import type { AwsAccess, AwsService } from './config.ts';
import { type Level, LEVELS } from './log.ts';
import { ENV } from './names.ts';

/** What `discord-events` is told. */
export type DiscordEventsConfig = {
  readonly logLevel: Level;
  readonly aws: AwsAccess;
  readonly taskQueueUrl: string;
  /** Of the application; empty where there is no Discord: then nothing is let in. */
  readonly publicKey: string;
};

/** What `discord-interactions` is told. */
export type DiscordFrontConfig = DiscordEventsConfig & {
  readonly conversationsTable: string;
  readonly days: number;
  /** The models that may be asked, the usual one first. */
  readonly models: readonly string[];
};

type Env = Readonly<Record<string, string | undefined>>;

const ENDPOINTS: Readonly<Record<string, AwsService>> = {
  AWS_ENDPOINT_URL_DYNAMODB: 'dynamodb',
  AWS_ENDPOINT_URL_SQS: 'sqs',
};

/**
 * The configuration of a front that has no room for a validator. The parameters of the deployment are checked where they are
 * given; what is missing here is named. Throws an Error that holds no values.
 */
export function discordFrontConfig(env: Env = process.env): DiscordFrontConfig {
  const others = (env[ENV.otherModels] ?? '').split(/[\s,]+/u).filter((one) => one !== '');
  return {
    ...discordEventsConfig(env),
    conversationsTable: need(env, ENV.conversationsTable),
    days: Number(env[ENV.historyDays] || 30),
    models: [env[ENV.upstreamModel] ?? '', ...others].filter((one) => one !== ''),
  };
}

/** As `discordFrontConfig`, for the function that needs no more. */
export function discordEventsConfig(env: Env = process.env): DiscordEventsConfig {
  const level = LEVELS.find((one) => one === env[ENV.logLevel]) ?? 'info';
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const endpoints: Partial<Record<AwsService, string>> = {};
  for (const [name, service] of Object.entries(ENDPOINTS)) {
    const url = env[name] || env['AWS_ENDPOINT_URL'];
    if (url) endpoints[service] = url;
  }
  return {
    logLevel: level,
    aws: {
      region: need(env, 'AWS_REGION'),
      credentials: {
        accessKeyId: need(env, 'AWS_ACCESS_KEY_ID'),
        secretAccessKey: need(env, 'AWS_SECRET_ACCESS_KEY'),
        ...(sessionToken ? { sessionToken } : {}),
      },
      endpoints,
    },
    taskQueueUrl: need(env, ENV.taskQueueUrl),
    publicKey: env[ENV.discordPublicKey] ?? '',
  };
}

function need(env: Env, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`The configuration is incomplete: ${name} is missing`);
  return value;
}
