import * as v from 'valibot';
import { readVideoModels } from '../../video/jobs/index.ts';
import { type Level, LEVELS } from '../log.ts';
import { ENV } from '../shared-names.ts';
import { address, addressOf, oneOf, text, wholeNumber } from './value-schemas.ts';
import { budgets, limit, list, zone } from './parsers.ts';

/** AWS services that are called by small signed requests. */
export type AwsService = 'dynamodb' | 'sqs' | 'secretsmanager' | 'kms' | 'xray';

/** And the one that takes files. */
export type AwsPlace = AwsService | 's3';

/** How to reach AWS: set by Lambda on every function, or by the local engine. */
export type AwsAccess = {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** The credentials change while the process runs, as in a container. */
  readonly renewing?: true;
  /** Where a service is, if not at its public address. */
  readonly endpoints: Readonly<Partial<Record<AwsPlace, string>>>;
};

const NAMES = {
  ...ENV,
  region: 'AWS_REGION',
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
  endpoint: 'AWS_ENDPOINT_URL',
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  sqs: 'AWS_ENDPOINT_URL_SQS',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  s3: 'AWS_ENDPOINT_URL_S3',
  kms: 'AWS_ENDPOINT_URL_KMS',
  xray: 'AWS_ENDPOINT_URL_XRAY',
} as const;
type Name = keyof typeof NAMES;

const MAX_DAYS = 3_650;
const common = v.object({
  stage: v.optional(text, 'dev'),
  logLevel: v.optional(oneOf(LEVELS), 'info'),
  region: text,
  accessKeyId: text,
  secretAccessKey: text,
  sessionToken: v.optional(text),
  endpoint: v.optional(address),
  dynamodb: v.optional(address),
  sqs: v.optional(address),
  secretsmanager: v.optional(address),
  s3: v.optional(address),
  kms: v.optional(address),
  xray: v.optional(address),
});
type Common = { readonly stage: string; readonly logLevel: Level; readonly aws: AwsAccess };

const conversations = {
  conversationsTable: text,
  historyDays: v.optional(wholeNumber(MAX_DAYS), '30'),
};
const queue = { taskQueueUrl: address };
/** Of those who give tasks up. */
const giveUp = { deadLettersQueue: text };
/** Of those who put recordings on their queue. */
const voice = { voiceQueueUrl: address };
const slackBot = {
  slackBotSecretId: text,
  slackApiUrl: v.pipe(
    v.optional(address, 'https://slack.com/api/'),
    v.transform((url) => (url.endsWith('/') ? url : `${url}/`)),
  ),
};

const discordBot = {
  discordBotSecretId: text,
  discordApiUrl: v.optional(address, 'https://discord.com/api'),
  /** Empty where there is no Discord. */
  discordApplicationId: v.optional(v.string(), ''),
  discordCdnHosts: list,
  /** A longer answer than this many messages is sent as a file. */
  discordMostMessages: v.optional(wholeNumber(20), '5'),
};

/** The tokens that workspaces bring along, and the app that they install. */
const installs = { sealKeyId: text, slackOAuthSecretId: text };

const video = {
  mediaBucket: text,
  publicUrl: address,
  videoPicture: v.optional(oneOf(['url', 'data']), 'url'),
  videoModels: v.pipe(
    v.optional(v.string(), ''),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const models = readVideoModels(dataset.value);
      if (models !== undefined) return models;
      addIssue({ message: 'it has to be names, or name:field, or name:field:price, separated by commas' });
      return NEVER;
    }),
  ),
  mediaDays: v.optional(wholeNumber(MAX_DAYS), '30'),
};
/** The models, and the limits they are asked within. */
const models = {
  tokensTable: text,
  upstreamSecretId: text,
  upstreamBaseUrl: address,
  upstreamVisionUrl: v.optional(address),
  upstreamModel: text,
  standInModels: list,
  speechLimit: v.optional(limit),
  videoLimit: v.optional(limit),
  timeZone: v.optional(zone, 'UTC'),
};

/** What it takes to speak on both platforms, in every workspace. */
const speaking = { ...slackBot, ...discordBot, ...installs };
/** What it takes to show the models files and to ask them, within their limits and on somebody's account. */
const asking = {
  tracing: v.optional(oneOf(['off', 'on']), 'off'),
  ...models,
  systemPrompt: text,
  slackFilesHosts: list,
  slackCommand: v.optional(
    v.pipe(v.string(), v.regex(/^\/[a-z0-9_-]{1,31}$/, 'it has to be a slash and small letters')),
    '/parley',
  ),
  accounts: v.optional(oneOf(['off', 'on']), 'off'),
  deploymentBudget: v.pipe(v.optional(v.string(), ''), budgets),
};

const worker = v.object({
  /** Where what may crash is sent to be done alone. */
  isolatedQueue: text,
  ...video,
  ...conversations,
  ...queue,
  ...giveUp,
  ...voice,
  ...speaking,
  ...asking,
  otherModels: list,
  followUpModel: v.optional(text),
  reasoning: v.optional(oneOf(['off', 'brief', 'full', 'file']), 'brief'),
});
const deadLetters = v.object({ ...conversations, ...queue, ...speaking, otherModels: list });
const slackOAuth = v.object({
  conversationsTable: text,
  ...installs,
  slackApiUrl: slackBot.slackApiUrl,
  publicUrl: v.optional(address),
});
const canary = v.object({
  ...slackBot,
  slackSigningSecretId: text,
  publicUrl: address,
  canaryChannel: text,
  canaryPerson: text,
});
const callback = v.object({ ...conversations, ...queue });
const transcriber = v.object({
  ...conversations,
  ...queue,
  ...giveUp,
  ...voice,
  ...speaking,
  ...asking,
  /** Where ffmpeg lies, if it is there. */
  ffmpegPath: v.optional(text),
});
const workerService = v.object({ ...worker.entries, drainSeconds: v.optional(wholeNumber(110), '100') });
const sweeper = v.object({ ...conversations, ...queue, ...voice });

const relay = v.object({
  ...conversations,
  ...queue,
  ...voice,
  tokensTable: text,
  discordBotSecretId: text,
  discordApiUrl: v.optional(address, 'https://discord.com/api'),
  discordGatewayUrl: v.optional(
    addressOf(/^wss?:\/\//i, 'it has to be a wss or ws address'),
    'wss://gateway.discord.gg',
  ),
  discordMessages: v.optional(oneOf(['mentions', 'all']), 'mentions'),
  /** How many processes run at once and share the shards. */
  discordRelayTasks: v.optional(wholeNumber(20), '1'),
});

type Env = Readonly<Record<string, string | undefined>>;

/** What `worker` is told. Throws InvalidConfig, as all below do. */
export const workerConfig = (env: Env = process.env) => read(worker, env);
/** What `worker-service` is told. */
export const workerServiceConfig = (env: Env = process.env) => read(workerService, env);
/** What `dead-letters` is told. */
export const deadLettersConfig = (env: Env = process.env) => read(deadLetters, env);
/** What `slack-oauth` is told. */
export const slackOAuthConfig = (env: Env = process.env) => read(slackOAuth, env);
/** What `canary` is told. */
export const canaryConfig = (env: Env = process.env) => read(canary, env);
/** What `video-callback` is told. */
export const callbackConfig = (env: Env = process.env) => read(callback, env);
/** What `transcriber` is told. */
export const transcriberConfig = (env: Env = process.env) => read(transcriber, env);
/** The variables as they are, for a process that adds to them what it has to fetch. */
export const environment = (): Env => process.env;
/** What `discord-gateway` is told. */
export const relayConfig = (env: Env = process.env) => read(relay, env);
/** What `sweeper` is told. */
export const sweeperConfig = (env: Env = process.env) => read(sweeper, env);

export type SlackOAuthConfig = ReturnType<typeof slackOAuthConfig>;
export type TranscriberConfig = ReturnType<typeof transcriberConfig>;
/** What is told to those who ask the models. */
export type ModelsConfig = v.InferOutput<v.ObjectSchema<typeof models, undefined>> & Common;
/** What is told to those who speak on both platforms. */
export type SpeakingConfig = v.InferOutput<
  v.ObjectSchema<typeof conversations & typeof queue & typeof speaking, undefined>
> &
  Common;
export type WorkerConfig = ReturnType<typeof workerConfig>;

/** Names every variable that is missing or wrong, and where its value comes from. Holds no values. */
export class InvalidConfig extends Error {
  override readonly name = 'WrongConfig';
}

function read<Shape extends v.ObjectEntries>(
  shape: v.ObjectSchema<Shape, undefined>,
  env: Env,
): v.InferOutput<v.ObjectSchema<Shape, undefined>> & Common {
  const given = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, env[name] === '' ? undefined : env[name]]),
  );
  const base = v.safeParse(common, given);
  const own = v.safeParse(shape, given);
  if (base.success && own.success) {
    const { stage, logLevel } = base.output;
    const shared: Common = { stage, logLevel, aws: access(base.output) };
    return { ...own.output, ...shared };
  }
  const issues = [...(base.issues ?? []), ...(own.issues ?? [])];
  const faults = issues.map(({ path, message }) => {
    const key = path?.[0].key;
    const name = isName(key) ? NAMES[key] : String(key);
    const fault = env[name] ? `is not right: ${message}` : 'is missing';
    return `  ${name} ${fault} (${origin(name)})`;
  });
  throw new InvalidConfig(`The configuration is incomplete:\n${faults.join('\n')}`);
}

/**
 * What is wrong with values that people give, each by itself, as a sentence without its beginning and end. What is not given, and what
 * the deployment gives, is passed over.
 */
export function valueFaults(env: Env): { name: string; fault: string }[] {
  const schemas: Readonly<Record<string, v.GenericSchema>> = {
    ...common.entries,
    ...worker.entries,
    ...transcriber.entries,
    ...relay.entries,
  };
  return Object.entries(schemas).flatMap(([key, schema]) => {
    const name = isName(key) ? NAMES[key] : key;
    const value = env[name]?.trim();
    if (!value) return [];
    const { success, issues } = v.safeParse(schema, value);
    return success ? [] : [{ name, fault: issues[0].message }];
  });
}

function access(given: v.InferOutput<typeof common>): AwsAccess {
  const { region, accessKeyId, secretAccessKey, sessionToken, endpoint } = given;
  const endpoints: Partial<Record<AwsPlace, string>> = {};
  for (const service of ['dynamodb', 'sqs', 'secretsmanager', 'kms', 's3', 'xray'] as const) {
    const url = given[service] ?? endpoint;
    if (url !== undefined) endpoints[service] = url;
  }
  return {
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    endpoints,
  };
}

const isName = (key: unknown): key is Name => typeof key === 'string' && Object.hasOwn(NAMES, key);

function origin(name: string): string {
  if (name.startsWith('AWS_')) return 'set by Lambda, or by `npm start`';
  return /^STAGE$|_(?:TABLE|ID|QUEUE_URL)$/u.test(name) && name !== ENV.slackBotUserId
    ? 'set by the deployment; see infra/cdk/stack.ts'
    : 'a parameter of the deployment, or in .env';
}
