import * as v from 'valibot';
import { type Level, LEVELS } from '../log.ts';
import { ENV } from '../shared-names.ts';
import { httpUrl, urlStartingWith, oneOf, text, wholeNumber } from './value-schemas.ts';
import { MAX_DAYS, video } from './media-config.ts';
import { budgetList, rateLimit, nameList, searchService, timeZone } from './parsers.ts';

/** AWS services that are called with signed JSON requests. */
export type AwsService = 'dynamodb' | 'sqs' | 'secretsmanager' | 'kms' | 'xray' | 'lambda';

/** These services, and the file store. */
export type AwsEndpointService = AwsService | 's3';

/** How to access AWS: set by Lambda, or by the local engine. */
export type AwsAccess = {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** The credentials change while the process runs, as in containers. */
  readonly renewing?: true;
  /** Endpoint URLs that replace the public ones. */
  readonly endpoints: Readonly<Partial<Record<AwsEndpointService, string>>>;
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
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
} as const;
type Name = keyof typeof NAMES;

const common = v.object({
  stage: v.optional(text, 'dev'),
  logLevel: v.optional(oneOf(LEVELS), 'info'),
  region: text,
  accessKeyId: text,
  secretAccessKey: text,
  sessionToken: v.optional(text),
  endpoint: v.optional(httpUrl),
  dynamodb: v.optional(httpUrl),
  sqs: v.optional(httpUrl),
  secretsmanager: v.optional(httpUrl),
  s3: v.optional(httpUrl),
  kms: v.optional(httpUrl),
  xray: v.optional(httpUrl),
  lambda: v.optional(httpUrl),
});
type Common = { readonly stage: string; readonly logLevel: Level; readonly aws: AwsAccess };

const conversations = {
  conversationsTable: text,
  historyDays: v.optional(wholeNumber(MAX_DAYS), '30'),
};
const queue = { taskQueueUrl: httpUrl };
/** For processes that give up tasks. */
const deadLetterQueue = { deadLettersQueue: text };
/** For processes that queue transcriptions. */
const voice = { voiceQueueUrl: httpUrl };
const slackBot = {
  slackBotSecretId: text,
  slackApiUrl: v.pipe(
    v.optional(httpUrl, 'https://slack.com/api/'),
    v.transform((url) => (url.endsWith('/') ? url : `${url}/`)),
  ),
};

const discordBot = {
  discordBotSecretId: text,
  discordApiUrl: v.optional(httpUrl, 'https://discord.com/api'),
  /** Empty without Discord. */
  discordApplicationId: v.optional(v.string(), ''),
  discordCdnHosts: nameList,
  /** An answer that needs more messages than this is sent as a file. */
  discordMaxMessages: v.optional(wholeNumber(20), '5'),
};

/** For tokens of workspaces that installed the app, and for the installation itself. */
const installs = { sealKeyId: text, slackOAuthSecretId: text };

/** The models and their rate limits. */
const models = {
  tokensTable: text,
  upstreamSecretId: text,
  upstreamBaseUrl: httpUrl,
  upstreamVisionUrl: v.optional(httpUrl),
  upstreamShape: v.optional(oneOf(['current', 'legacy']), 'current'),
  firstTokenSeconds: v.optional(wholeNumber(400), '300'),
  upstreamModel: text,
  standInModels: nameList,
  speechLimit: v.optional(rateLimit),
  videoLimit: v.optional(rateLimit),
  timeZone: v.optional(timeZone, 'UTC'),
};

/** For posting on both platforms, in every workspace. */
const platforms = { ...slackBot, ...discordBot, ...installs };
/** For requests to the models: files, limits and budgets. */
const modelAccess = {
  tracing: v.optional(oneOf(['off', 'on']), 'off'),
  ...models,
  systemPrompt: text,
  slackFilesHosts: nameList,
  slackCommand: v.optional(
    v.pipe(v.string(), v.regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash and small letters')),
    '/parley',
  ),
  accounts: v.optional(oneOf(['off', 'on']), 'off'),
  deploymentBudget: v.pipe(v.optional(v.string(), ''), budgetList),
};

const worker = v.object({
  /** The queue for tasks that may crash their process. */
  isolatedQueue: text,
  ...video,
  ...conversations,
  ...queue,
  ...deadLetterQueue,
  ...voice,
  ...platforms,
  ...modelAccess,
  otherModels: nameList,
  search: searchService,
  /** Absent without the API. */
  apiUrl: v.optional(httpUrl),
  followUpModel: v.optional(text),
  reasoning: v.optional(oneOf(['off', 'brief', 'full', 'file']), 'brief'),
});
const deadLetters = v.object({ ...conversations, ...queue, ...platforms, otherModels: nameList });
const slackOAuth = v.object({
  conversationsTable: text,
  ...installs,
  slackApiUrl: slackBot.slackApiUrl,
  publicUrl: v.optional(httpUrl),
});
const canary = v.object({
  ...slackBot,
  slackSigningSecretId: text,
  publicUrl: httpUrl,
  canaryChannel: text,
  canaryPerson: text,
});
const callback = v.object({ ...conversations, ...queue });
const api = v.object({ ...conversations, ...queue, tokensTable: text });
const transcriber = v.object({
  ...conversations,
  ...queue,
  ...deadLetterQueue,
  ...voice,
  ...platforms,
  ...modelAccess,
  /** The path of ffmpeg, if it is installed. */
  ffmpegPath: v.optional(text),
});
const workerService = v.object({ ...worker.entries, drainSeconds: v.optional(wholeNumber(110), '100') });
const toolClient = v.object({ toolServerOrigins: nameList });
const sweeper = v.object({ ...conversations, ...queue, ...voice });

const relay = v.object({
  ...conversations,
  ...queue,
  ...voice,
  tokensTable: text,
  discordBotSecretId: text,
  discordApiUrl: v.optional(httpUrl, 'https://discord.com/api'),
  discordGatewayUrl: v.optional(
    urlStartingWith(/^wss?:\/\//i, 'must be a wss or ws address'),
    'wss://gateway.discord.gg',
  ),
  discordMessages: v.optional(oneOf(['mentions', 'all']), 'mentions'),
  /** How many processes share the shards. */
  discordRelayTasks: v.optional(wholeNumber(20), '1'),
});

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the configuration of `worker`. Throws InvalidConfigError, as all functions below do. */
export const readWorkerConfig = (env: Env = process.env) => readConfig(worker, env);
export const readWorkerServiceConfig = (env: Env = process.env) => readConfig(workerService, env);
export const readDeadLettersConfig = (env: Env = process.env) => readConfig(deadLetters, env);
export const readSlackOAuthConfig = (env: Env = process.env) => readConfig(slackOAuth, env);
export const readCanaryConfig = (env: Env = process.env) => readConfig(canary, env);
/** Reads the configuration of `tool-client`. */
export const readToolClientConfig = (env: Env = process.env) => readConfig(toolClient, env);
/** Reads the configuration of `api`. */
export const readApiConfig = (env: Env = process.env) => readConfig(api, env);
/** Reads the configuration of `video-callback`. */
export const readCallbackConfig = (env: Env = process.env) => readConfig(callback, env);
export const readTranscriberConfig = (env: Env = process.env) => readConfig(transcriber, env);
/** Returns the environment variables, for a process that adds fetched values to them. */
export const getEnvironment = (): Env => process.env;
/** Reads the configuration of `discord-gateway`. */
export const readRelayConfig = (env: Env = process.env) => readConfig(relay, env);
export const readSweeperConfig = (env: Env = process.env) => readConfig(sweeper, env);

export type SlackOAuthConfig = ReturnType<typeof readSlackOAuthConfig>;
export type TranscriberConfig = ReturnType<typeof readTranscriberConfig>;
/** The part of the configuration for requests to the models. */
export type ModelsConfig = v.InferOutput<v.ObjectSchema<typeof models, undefined>> & Common;
/** The part of the configuration for posting on both platforms. */
export type PlatformsConfig = v.InferOutput<
  v.ObjectSchema<typeof conversations & typeof queue & typeof platforms, undefined>
> &
  Common;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** Lists every variable that is missing or invalid, and where its value comes from. Contains no values. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';
}

function readConfig<Shape extends v.ObjectEntries>(
  shape: v.ObjectSchema<Shape, undefined>,
  env: Env,
): v.InferOutput<v.ObjectSchema<Shape, undefined>> & Common {
  const values = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, env[name] === '' ? undefined : env[name]]),
  );
  const base = v.safeParse(common, values);
  const own = v.safeParse(shape, values);
  if (base.success && own.success) {
    const { stage, logLevel } = base.output;
    const shared: Common = { stage, logLevel, aws: awsAccess(base.output) };
    return { ...own.output, ...shared };
  }
  const issues = [...(base.issues ?? []), ...(own.issues ?? [])];
  const faults = issues.map(({ path, message }) => {
    const key = path?.[0].key;
    const name = isName(key) ? NAMES[key] : String(key);
    const fault = env[name] ? `is invalid: ${message}` : 'is missing';
    return `  ${name} ${fault} (${valueOrigin(name)})`;
  });
  throw new InvalidConfigError(`The configuration is incomplete:\n${faults.join('\n')}`);
}

/**
 * Checks values that people enter, each by itself. Returns for each invalid one the middle part of a sentence.
 * Ignores missing values and values that the deployment sets.
 */
export function findInvalidValues(env: Env): { name: string; fault: string }[] {
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

function awsAccess(values: v.InferOutput<typeof common>): AwsAccess {
  const { region, accessKeyId, secretAccessKey, sessionToken, endpoint } = values;
  const endpoints: Partial<Record<AwsEndpointService, string>> = {};
  for (const service of ['dynamodb', 'sqs', 'secretsmanager', 'kms', 's3', 'xray', 'lambda'] as const) {
    const url = values[service] ?? endpoint;
    if (url !== undefined) endpoints[service] = url;
  }
  return {
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    endpoints,
  };
}

const isName = (key: unknown): key is Name => typeof key === 'string' && Object.hasOwn(NAMES, key);

function valueOrigin(name: string): string {
  if (name.startsWith('AWS_')) return 'set by Lambda, or by `npm start`';
  return /^(?:STAGE|(?:PUBLIC|API)_URL)$|_(?:TABLE|SECRET_ID|KEY_ID|QUEUE|QUEUE_URL|BUCKET)$/u.test(name)
    ? 'set by the deployment; see infra/cdk/stack.ts'
    : 'a parameter of the deployment, or in .env';
}
